"""How people reach what is on a page: with a mouse, or with a finger on a phone.

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
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
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


class Hand(Protocol):
    """Does what a person does with one kind of pointer."""

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
