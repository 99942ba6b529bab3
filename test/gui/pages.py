"""A server of pages, and browsers that look at them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
import json
from pathlib import Path
import re
import shutil
import time
from typing import Any

from graph import SECONDS, Graph, Process
from hands import Finger, Hand, KeysOnly, Mouse, emulate_screen
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    NoSuchElementException,
    StaleElementReferenceException,
    WebDriverException,
)
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from gdl_env.language.load import open_game
from gdl_env.ros.launch.topology import NATURE

OPTIONS = (
    *('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'),
    *('--disable-background-networking', '--disable-component-update', '--disable-sync'),
    *('--no-first-run', '--disable-extensions', '--mute-audio'),
)

# What can be seen can be clicked within this time [s].
PATIENCE = 10.0
# Nodes of a table that was ended are gone within this time [s]; starting a server takes longer.
_ENDING = 4.0
# What a server runs for itself: to draw drafts, to count how long games are, to rate positions.
_HELPERS = ('gdl_env.gui.workshop.preview_worker', 'gdl_env.gui.gallery.game_lengths', 'study')


class Gui:
    """A server; it may serve several tests, each with a graph of its own."""

    def __init__(
        self, graph: Graph, folder: Path, name: str = 'gui_node', **parameters: object
    ) -> None:
        """Start it. Several on one graph need names: roles and tables are theirs by name."""
        self._own = self.graph = graph
        # Nodes that are started ahead would be taken for tables that were left.
        self._parameters = {'node': name, 'spares': 0, **parameters}
        self.folder = folder
        self.process = self.start()

    def start(self, port: int = 0) -> Process:
        """Start the server and wait until it serves."""
        parameters = {**self._parameters, 'port': port, 'folder': str(self.folder)}
        process = self._own.start('gui_node', namespace='/', **parameters)
        pattern = re.compile(r'serving at (http://\S+?)/?(?:\?\S*)?\n')
        found = self._own.wait(lambda: pattern.search(process.output))
        self.url = found.group(1)
        return process

    def look_at(self, graph: Graph) -> None:
        """Serve a test; what another one has broken is mended first."""
        self.graph = graph
        if self.process.popen.poll() is not None:
            self.process = self.start()

    def end_tables(self) -> None:
        """End the server if a test has left tables: the next one would see them, and end those."""
        deadline = time.monotonic() + _ENDING
        while _has_nodes(self.process.popen.pid):
            if time.monotonic() > deadline:
                self.process.stop()
                return
            time.sleep(0.05)

    def restart(self) -> None:
        """End the server, and start another one at the same port."""
        port = int(self.url.rpartition(':')[2])
        assert self.process.stop() == 0, self.process.output
        self.process = self.start(port)

    def report(self) -> str:
        """Return what the server said, and those on the graph."""
        return f'--- server\n{self.process.output[-3000:]}\n{self.graph.report()}'


def _has_nodes(pid: int) -> bool:
    """Tell whether a server has started programs that still run, besides those that help it."""
    for path in Path(f'/proc/{pid}/task').glob('*/children'):
        # Threads and processes end at any time.
        with suppress(OSError):
            for child in path.read_text().split():
                words = Path(f'/proc/{child}/cmdline').read_bytes().decode().split('\0')
                if not any(word in _HELPERS for word in words):
                    return True
    return False


@contextmanager
def open_gui(folder: Path, domain: int, name: str = 'gui_node') -> Iterator[Gui]:
    """Start a server in a domain."""
    graph = Graph(folder, domain, '/gui')
    try:
        yield Gui(graph, folder, name)
    finally:
        graph.close()


class BrowserPool:
    """Browsers that are used again: starting one takes longer than most tests."""

    def __init__(self) -> None:
        self._free: list[Chrome] = []

    def take(self) -> Chrome:
        """Return a browser that was never at the server, as far as that can tell."""
        if self._free:
            return self._free.pop()
        options = ChromeOptions()
        for option in OPTIONS:
            options.add_argument(option)
        options.set_capability('goog:loggingPrefs', {'browser': 'ALL', 'performance': 'ALL'})
        driver = Chrome(options=options, service=Service(shutil.which('chromedriver')))
        driver.set_page_load_timeout(SECONDS)
        return driver

    def give_back(self, driver: Chrome) -> None:
        """Forget who used it; one that cannot is ended."""
        try:
            driver.get('about:blank')
            driver.execute_cdp_cmd('Network.clearBrowserCookies', {})
            for name in ('browser', 'performance'):
                driver.get_log(name)
        except WebDriverException:
            driver.quit()
        else:
            self._free.append(driver)

    def close(self) -> None:
        for driver in self._free:
            driver.quit()


class Browser:
    """A person with a browser."""

    def __init__(
        self,
        gui: Gui,
        driver: Chrome,
        width: int,
        height: int,
        *,
        is_phone: bool = False,
        has_mouse: bool = True,
    ) -> None:
        self.gui = gui
        self.driver = driver
        pointer = Finger(driver) if is_phone else Mouse(driver)
        self.hand: Hand = pointer if has_mouse else KeysOnly(driver)
        emulate_screen(driver, width, height, is_phone=is_phone)

    # ---- looking

    def open(self, path: str) -> None:
        self.driver.get(f'{self.gui.url}{path}')

    def open_match(self, role: str = '') -> None:
        self.open(f'/match?ns={self.gui.graph.namespace}' + (f'&role={role}' if role else ''))
        self.wait(lambda: self.find('.gt-player'), 'players')

    def begin(self, game: str, role: str, agent: str = 'legal', **parameters: object) -> None:
        """Play a role of a new match against agents, up to the first turn; '' leaves them out.

        Parameters are those of the environment; there is no clock unless one is given.
        """
        graph = self.gui.graph
        graph.environment(game, **{'play_clock': 0.0, 'start_clock': 0.0, **parameters})
        for other in map(str, open_game(game).roles):
            if agent and other not in (role, NATURE):
                graph.start(f'{agent}_agent', role=other)
        self.open_match(role)
        self.click('New game')
        if agent:
            self.wait_for_turn()

    def wait_for_turn(self) -> None:
        """Wait until the person at this page is asked for a move."""
        self.wait(lambda: self.banner == 'your turn', 'turn')

    def find(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    @property
    def banner(self) -> str:
        found = self.find('.gt-banner')
        return found[0].text if found else ''

    def text(self) -> str:
        return self.driver.find_element(By.TAG_NAME, 'body').text

    def wait(
        self,
        condition: Callable[[], Any],
        what: str | Callable[[], str] = '',
        seconds: float = SECONDS,
    ) -> Any:
        """Wait for something on the page; what is replaced meanwhile is looked for again."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                if found := condition():
                    return found
            except (StaleElementReferenceException, NoSuchElementException, IndexError):
                pass
            if time.monotonic() > deadline:
                words = what() if callable(what) else what or condition
                raise AssertionError(
                    f'no {words}\n--- page\n{self.text()}\n--- log\n'
                    f'{self.driver.get_log("browser")}\n{self.gui.report()}'
                )
            time.sleep(0.05)

    def texts(self, selector: str) -> list[str]:
        """Return what elements say, all at once: none is replaced meanwhile."""
        script = 'return [...document.querySelectorAll(arguments[0])].map((e) => e.innerText)'
        return list(self.driver.execute_script(script, selector))

    def square(self, coordinates: str) -> WebElement:
        """Return a square by column and row, as they are written beside the board."""
        return self.wait(lambda: self.find(f'[data-coordinates="{coordinates}"]')[0], coordinates)

    def label(self, coordinates: str) -> str:
        """Return what is on a square, in words."""
        text = self.square(coordinates).get_attribute('aria-label') or ''
        return text.partition(': ')[2]

    def pieces(self) -> dict[str, str]:
        """Return everything that is on the board, by column and row."""
        script = """const what = (s) => (s.getAttribute('aria-label') || '').split(': ')[1];
            return Object.fromEntries([...document.querySelectorAll('[data-square]')]
            .map((s) => [s.dataset.coordinates, what(s)])
            .filter(([_, what]) => what && what !== 'unknown'))"""
        return dict(self.driver.execute_script(script))

    # ---- doing

    def tap(self, find: Callable[[], WebElement | None], what: str) -> None:
        """Click or touch an element; one that is replaced meanwhile is looked for again."""
        covered: list[str] = []

        def tap() -> bool:
            element = find()
            if element is None:
                return False
            try:
                self.hand.tap(element)
            except ElementClickInterceptedException as error:
                # Menus that open or close are in the way for a moment.
                covered[:] = [str(error.msg)]
                return False
            return True

        self.wait(tap, lambda: f'way to click {what} {" ".join(covered)}', PATIENCE)

    def click(self, text: str, selector: str = 'button') -> None:
        """Click a button by its text."""

        def find() -> WebElement | None:
            shown = (b for b in self.find(selector) if text in b.text and b.is_displayed())
            return next(shown, None)

        self.wait(find, f'button {text}')
        self.tap(find, f'button {text}')

    def click_link(self, text: str) -> None:
        """Follow a link by its text."""
        self.wait(lambda: self.driver.find_elements(By.LINK_TEXT, text), f'link {text}')
        self.tap(lambda: self.driver.find_element(By.LINK_TEXT, text), f'link {text}')

    def step(self, words: str) -> None:
        """Press one of the buttons of the history, by its label."""
        self.wait(lambda: self.find(f'[aria-label="{words}"]'), words)
        self.tap(lambda: self.find(f'[aria-label="{words}"]')[0], words)

    def click_square(self, coordinates: str) -> None:
        self.tap(lambda: self.square(coordinates), f'square {coordinates}')

    def click_filter(self) -> None:
        """Click into the field above the list of moves, which may have to be opened first."""
        self.open_list()
        self.tap(lambda: self.find('.gt-filter input')[0], 'filter')

    def open_list(self) -> None:
        """Open the list of moves, if it is closed."""
        for closed in self.find('.gt-more[aria-expanded="false"]:not([hidden])'):
            self.tap(lambda closed=closed: closed, 'all moves')

    def drag(self, start: str, target: str) -> None:
        """Press on a square, move, and let go on another."""
        self.hand.drag(self.square(start), self.square(target))

    def tab_to(self, selector: str) -> None:
        """Go from one element to the next by the tab key, until one is reached."""
        script = 'return document.activeElement.matches(arguments[0])'
        for _ in range(60):
            self.press('TAB')
            if self.driver.execute_script(script, selector):
                return
        raise AssertionError(f'{selector} cannot be reached by keys')

    def press(self, *keys: str) -> None:
        actions = ActionChains(self.driver)
        for key in keys:
            actions.send_keys(getattr(Keys, key, key))
        actions.perform()

    def press_with_control(self, key: str) -> None:
        actions = ActionChains(self.driver)
        actions.key_down(Keys.CONTROL).send_keys(key).key_up(Keys.CONTROL).perform()

    def choose(self, label: str, option: str) -> None:
        """Choose an option of a selection by typing it."""
        field = self.wait(lambda: self.find(f'input[aria-label="{label}"]')[0], label)
        self.tap(lambda: field, label)
        # On a phone, another field is shown in a dialog, with the options below.
        self.press_with_control('a')
        self.press(*option)

        def offered() -> WebElement | None:
            for item in self.find('.q-menu .q-item, .q-dialog .q-item'):
                if item.text.strip() == option:
                    return item
            return None

        self.wait(offered, f'option {option} of {label}')
        if isinstance(self.hand, KeysOnly):
            return self.press('ARROW_DOWN', 'ENTER')
        self.tap(offered, f'option {option} of {label}')
        self.wait(lambda: not self.find('.q-menu, .q-dialog'), f'end of the choice of {label}')

    # ---- what came over the wire

    def received(self) -> str:
        """Return all that the browser was sent since this was asked last: pages and sockets."""
        found = []
        for entry in self.driver.get_log('performance'):
            message = json.loads(entry['message'])['message']
            if message['method'] == 'Network.webSocketFrameReceived':
                found.append(message['params']['response']['payloadData'])
            elif message['method'] == 'Network.responseReceived':
                number = message['params']['requestId']
                try:
                    body = self.driver.execute_cdp_cmd(
                        'Network.getResponseBody', {'requestId': number}
                    )
                except WebDriverException:
                    continue
                found.append(body['body'])
        return '\n'.join(found)

    def errors(self) -> list[str]:
        """Return what the browser complains about."""
        return [e['message'] for e in self.driver.get_log('browser') if e['level'] == 'SEVERE']
