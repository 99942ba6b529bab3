"""How people reach what is on a page: with a mouse, a finger on a phone, or keys alone.

Nothing here calls `click()` by script: what lies below something else, or takes no pointer at all,
is as dead for these hands as it is for people.
"""

from __future__ import annotations

from typing import Protocol

from selenium.common.exceptions import ElementClickInterceptedException
from selenium.webdriver import Chrome
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.interaction import POINTER_TOUCH
from selenium.webdriver.common.actions.mouse_button import MouseButton
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

PHONE = (390, 844)
_PHONE_AGENT = (
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) '
    'Chrome/130.0.0.0 Mobile Safari/537.36'
)
# A finger is about as wide as this; smaller ones than that are missed [pixels].
FINGER = 20

# How long a movement takes [ms].
_MOVING = 50

# Where a person would aim once nothing moves any more, and what is there instead, if anything.
_AIM = """const [element, isFirst, done] = arguments;
const shape = element.querySelector('.gt-ground') || element;
if (isFirst) shape.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
let frames = 0, before = '';
const look = () => {
    const box = shape.getBoundingClientRect();
    const now = JSON.stringify(box);
    if (now !== before && frames++ < 60) { before = now; return requestAnimationFrame(look); }
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const hit = document.elementFromPoint(x, y);
    // What is around a field and belongs to it does as well.
    const label = hit && hit.closest('label');
    const isHit = hit && (element.contains(hit) || (label && label.contains(element)));
    const other = hit ? hit.outerHTML.slice(0, 120) : 'nothing: it is not on the screen';
    done([x, y, box.width, box.height, isHit ? '' : other]);
};
look()"""


# Elements that are passed by the tab key on one page, at most.
_MOST_TABS = 150
_HAS_FOCUS = """const [element] = arguments, now = document.activeElement;
return now === element || (now !== document.body && element.contains(now))"""
# How many entries below the one with the focus an element is.
_STEPS_IN_LIST = """const [element] = arguments, all = [...element.parentElement.children];
return all.indexOf(element) - all.indexOf(document.activeElement)"""
# The key that brings the cursor of a board nearer to a square; the first one shows it.
_NEXT_KEY = """const square = arguments[0], board = square.ownerSVGElement;
const cursor = board.querySelector('.gt-cursor');
if (!cursor) return 'ARROW_UP';
const [a, b] = [cursor.getBoundingClientRect(), square.getBoundingClientRect()];
const [x, y] = [b.x + b.width / 2 - a.x - a.width / 2, b.y + b.height / 2 - a.y - a.height / 2];
const here = cursor.closest('[data-square]');
if (here === square) return 'Enter';
const [r, c] = here.dataset.square.split(',').map(Number);
const [u, v] = square.dataset.square.split(',').map(Number);
if (r !== u) return y > 0 || (Math.abs(y) < 1 && u > r) ? 'ARROW_DOWN' : 'ARROW_UP';
return x > 0 ? 'ARROW_RIGHT' : 'ARROW_LEFT'"""


class Hand(Protocol):
    """Does what a person does with one kind of pointer, or with none."""

    def tap(self, element: WebElement) -> None:
        """Click or touch an element."""

    def drag(self, start: WebElement, target: WebElement) -> None:
        """Press on an element, move, and let go on another."""

    def scroll(self, element: WebElement, pixels: int) -> None:
        """Scroll down, with the pointer on an element."""

    def swipe(self, element: WebElement, right: int, down: int) -> None:
        """Press on an element, and let go so many pixels further."""


class Mouse:
    """A mouse on a large screen."""

    def __init__(self, driver: Chrome) -> None:
        self._driver = driver

    def tap(self, element: WebElement) -> None:
        """Move there and click."""
        x, y, _, _ = aim(self._driver, element)
        actions = ActionBuilder(self._driver, duration=_MOVING)
        actions.pointer_action.move_to_location(x, y).click()
        actions.perform()

    def drag(self, start: WebElement, target: WebElement) -> None:
        """Hold the button from one element to another."""
        actions = ActionChains(self._driver)
        actions.move_to_element(start).click_and_hold().move_by_offset(9, -9)
        actions.move_to_element(target).release().perform()

    def draw(self, start: WebElement, target: WebElement) -> None:
        """Hold the right button from one element to another."""
        x, y, _, _ = aim(self._driver, start)
        u, v, _, _ = aim(self._driver, target, is_first=False)
        actions = ActionBuilder(self._driver, duration=_MOVING)
        pointer = actions.pointer_action.move_to_location(x, y).pointer_down(MouseButton.RIGHT)
        pointer.move_to_location(u, v).pointer_up(MouseButton.RIGHT)
        actions.perform()

    def swipe(self, element: WebElement, right: int, down: int) -> None:
        """Hold the button that far."""
        actions = ActionChains(self._driver).move_to_element(element).click_and_hold()
        actions.move_by_offset(right, down).release().perform()

    def scroll(self, element: WebElement, pixels: int) -> None:
        """Turn the wheel."""
        origin = ScrollOrigin.from_element(element)
        ActionChains(self._driver).scroll_from_origin(origin, 0, pixels).perform()


class Finger:
    """A finger on a phone."""

    def __init__(self, driver: Chrome) -> None:
        self._driver = driver

    def tap(self, element: WebElement) -> None:
        """Touch, and let go."""
        x, y, width, height = aim(self._driver, element)
        assert min(width, height) >= FINGER, f'{width} x {height} is too small for a finger'
        self._touch((x, y))

    def drag(self, start: WebElement, target: WebElement) -> None:
        """Touch an element, and let go on another."""
        first = aim(self._driver, start)
        self._touch(first[:2], aim(self._driver, target, is_first=False)[:2])

    def scroll(self, element: WebElement, pixels: int) -> None:
        """Touch an element, and push the page up from there."""
        x, y, _, _ = aim(self._driver, element)
        self._touch((x, y), (x, y - pixels))

    def swipe(self, element: WebElement, right: int, down: int) -> None:
        """Touch an element, and let go so many pixels further."""
        x, y, _, _ = aim(self._driver, element)
        self._touch((x, y), (x + right, y + down))

    def _touch(self, start: tuple[int, int], *way: tuple[int, int]) -> None:
        finger = PointerInput(POINTER_TOUCH, 'finger')
        actions = ActionBuilder(self._driver, mouse=finger, duration=_MOVING)
        actions.pointer_action.move_to_location(*start).pointer_down()
        before = start
        for place in way:
            for part in range(1, 6):
                step = [round(a + (b - a) * part / 5) for a, b in zip(before, place, strict=True)]
                actions.pointer_action.move_to_location(*step)
            before = place
        actions.pointer_action.pointer_up(0)
        actions.perform()


class KeysOnly:
    """No pointer at all: the tab key, arrows and Enter."""

    def __init__(self, driver: Chrome) -> None:
        self._driver = driver

    def tap(self, element: WebElement) -> None:
        """Go to an element by keys, and press Enter; a square is reached by its board's cursor."""
        if element.get_attribute('data-square'):
            self._move_cursor(element)
        elif element.get_attribute('role') == 'option' and element.get_attribute('data-move'):
            self._walk_list(element)
        else:
            self._go_to(element)
        self._press(Keys.ENTER)

    def _go_to(self, element: WebElement) -> None:
        for key in (Keys.TAB, Keys.SHIFT + Keys.TAB):
            for _ in range(_MOST_TABS):
                if self._driver.execute_script(_HAS_FOCUS, element):
                    return
                self._press(key)
        raise AssertionError(f'{element.get_attribute("outerHTML")[:120]}: not reached by keys')

    def _walk_list(self, element: WebElement) -> None:
        """Go to a list by the tab key, and in it by arrows."""
        self._go_to(element.find_element(By.XPATH, './parent::*'))
        steps = int(self._driver.execute_script(_STEPS_IN_LIST, element))
        for _ in range(abs(steps)):
            self._press(Keys.ARROW_DOWN if steps > 0 else Keys.ARROW_UP)

    def _move_cursor(self, element: WebElement) -> None:
        self._go_to(element.find_element(By.XPATH, './ancestor::*[name()="svg"]'))
        for _ in range(_MOST_TABS):
            key = self._driver.execute_script(_NEXT_KEY, element)
            if key == 'Enter':
                return
            self._press(getattr(Keys, key))
        raise AssertionError('the cursor of the board does not reach the square')

    def drag(self, start: WebElement, target: WebElement) -> None:
        """Choose one square after the other."""
        self.tap(start)
        self.tap(target)

    def scroll(self, element: WebElement, pixels: int) -> None:
        """Press the key that leads one screen down."""
        self._press(Keys.PAGE_DOWN)

    def swipe(self, element: WebElement, right: int, down: int) -> None:
        """Press an arrow."""
        along = (Keys.ARROW_RIGHT if right > 0 else Keys.ARROW_LEFT) if right else ''
        self._press(along or (Keys.ARROW_DOWN if down > 0 else Keys.ARROW_UP))

    def _press(self, keys: str) -> None:
        actions = ActionChains(self._driver)
        if keys.startswith(Keys.SHIFT) and len(keys) > 1:
            actions.key_down(Keys.SHIFT).send_keys(keys[1:]).key_up(Keys.SHIFT)
        else:
            actions.send_keys(keys)
        actions.perform()


def aim(
    driver: Chrome, element: WebElement, *, is_first: bool = True
) -> tuple[int, int, int, int]:
    """Bring an element onto the screen, if it is the first; return its middle and its size.

    Raises ElementClickInterceptedException if something else would be hit there.
    """
    x, y, width, height, other = driver.execute_async_script(_AIM, element, is_first)
    if other:
        raise ElementClickInterceptedException(f'in place of it, a click would hit {other}')
    return round(x), round(y), round(width), round(height)


def emulate_screen(driver: Chrome, width: int, height: int, *, is_phone: bool) -> None:
    """Make the page as large as a screen; on a phone, with a browser and a finger of its own."""
    # The page itself: windows have borders, and a least width.
    metrics = {'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': is_phone}
    driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', metrics)
    driver.execute_cdp_cmd('Emulation.setTouchEmulationEnabled', {'enabled': is_phone})
    agent = {'userAgent': _PHONE_AGENT if is_phone else ''}
    driver.execute_cdp_cmd('Emulation.setUserAgentOverride', agent)
