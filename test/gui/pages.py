"""A server of pages, and browsers that look at them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
import json
from pathlib import Path
import re
import shutil
import time
from typing import Any

from graph import SECONDS, Graph, Process
from selenium.common.exceptions import (
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

OPTIONS = (
    *('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'),
    *('--disable-background-networking', '--disable-component-update', '--disable-sync'),
    *('--no-first-run', '--disable-extensions', '--mute-audio'),
)


class Gui:
    """A server; it may serve several tests, each with a graph of its own."""

    def __init__(self, graph: Graph, folder: Path) -> None:
        self._own = self.graph = graph
        self.folder = folder
        self.process = self.start()

    def start(self, port: int = 0) -> Process:
        """Start the server and wait until it serves."""
        parameters = {'port': port, 'folder': str(self.folder)}
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

    def restart(self) -> None:
        """End the server, and start another one at the same port."""
        port = int(self.url.rpartition(':')[2])
        assert self.process.stop() == 0, self.process.output
        self.process = self.start(port)

    def report(self) -> str:
        """Return what the server said, and those on the graph."""
        return f'--- server\n{self.process.output[-3000:]}\n{self.graph.report()}'


@contextmanager
def open_gui(folder: Path, domain: int) -> Iterator[Gui]:
    """Start a server in a domain."""
    graph = Graph(folder, domain, '/gui')
    try:
        yield Gui(graph, folder)
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

    def __init__(self, gui: Gui, driver: Chrome, width: int, height: int) -> None:
        self.gui = gui
        self.driver = driver
        # The page itself: windows have borders, and a least width.
        metrics = {'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': False}
        driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', metrics)

    # ---- looking

    def open(self, path: str) -> None:
        self.driver.get(f'{self.gui.url}{path}')

    def open_match(self, role: str = '') -> None:
        self.open(f'/match?ns={self.gui.graph.namespace}' + (f'&role={role}' if role else ''))
        self.wait(lambda: self.find('.gt-player'), 'players')

    def find(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    @property
    def banner(self) -> str:
        found = self.find('.gt-banner')
        return found[0].text if found else ''

    def text(self) -> str:
        return self.driver.find_element(By.TAG_NAME, 'body').text

    def wait(self, condition: Callable[[], Any], what: str = '', seconds: float = SECONDS) -> Any:
        """Wait for something on the page; what is replaced meanwhile is looked for again."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                if found := condition():
                    return found
            except (StaleElementReferenceException, NoSuchElementException, IndexError):
                pass
            if time.monotonic() > deadline:
                raise AssertionError(
                    f'no {what or condition}\n--- page\n{self.text()}\n--- log\n'
                    f'{self.driver.get_log("browser")}\n{self.gui.report()}'
                )
            time.sleep(0.05)

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

    def click(self, text: str, selector: str = 'button') -> None:
        """Click a button by its text; one that is drawn anew meanwhile is looked for again."""

        def click() -> bool:
            for button in self.find(selector):
                if text in button.text and button.is_displayed():
                    self.driver.execute_script('arguments[0].click()', button)
                    return True
            return False

        self.wait(click, f'button {text}')

    def click_link(self, text: str) -> None:
        """Follow a link by its text."""

        def click() -> bool:
            self.driver.find_element(By.LINK_TEXT, text).click()
            return True

        self.wait(click, f'link {text}')

    def step(self, words: str) -> None:
        """Press one of the buttons of the history, by its label."""
        self.wait(lambda: self.find(f'[aria-label="{words}"]')[0], words).click()

    def click_square(self, coordinates: str) -> None:
        ActionChains(self.driver).move_to_element(self.square(coordinates)).click().perform()

    def drag(self, start: str, target: str) -> None:
        """Press on a square, move, and let go on another."""
        actions = ActionChains(self.driver)
        actions.move_to_element(self.square(start)).click_and_hold().move_by_offset(9, -9)
        actions.move_to_element(self.square(target)).release().perform()

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

    def choose(self, label: str, option: str) -> None:
        """Choose an option of a selection by typing it."""
        field = self.wait(lambda: self.find(f'input[aria-label="{label}"]')[0], label)
        self.driver.execute_script('arguments[0].scrollIntoView({block: "center"})', field)
        field.click()
        field.send_keys(Keys.CONTROL, 'a')
        field.send_keys(option)

        def offered() -> WebElement | None:
            for item in self.find('.q-menu .q-item'):
                if item.text.strip() == option:
                    return item
            return None

        item = self.wait(offered, f'option {option} of {label}')
        self.driver.execute_script('arguments[0].click()', item)

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
