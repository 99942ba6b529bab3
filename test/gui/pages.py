"""A server of pages, and browsers that look at them."""

from __future__ import annotations

from collections.abc import Callable
import json
from pathlib import Path
import re
import shutil
import time
from typing import Any

from graph import SECONDS, Graph, Process
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
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
    """The server of one test."""

    def __init__(self, graph: Graph, folder: Path, **parameters: object) -> None:
        self.graph = graph
        self.folder = folder
        self._parameters = parameters
        self.process = self.start()

    def start(self, port: int = 0) -> Process:
        """Start the server and wait until it serves."""
        parameters = {'port': port, 'folder': str(self.folder), **self._parameters}
        process = self.graph.start('gui_node', namespace='/', **parameters)
        pattern = re.compile(r'serving at (http://\S+?)/?(?:\?\S*)?\n')
        found = self.graph.wait(lambda: pattern.search(process.output))
        self.url = found.group(1)
        return process

    def restart(self) -> None:
        """End the server, and start another one at the same port."""
        port = int(self.url.rpartition(':')[2])
        assert self.process.stop() == 0, self.process.output
        self.process = self.start(port)


class Browser:
    """A person with a browser."""

    def __init__(self, gui: Gui, width: int, height: int) -> None:
        self.gui = gui
        options = ChromeOptions()
        for option in (*OPTIONS, f'--window-size={width},{height}'):
            options.add_argument(option)
        options.set_capability('goog:loggingPrefs', {'browser': 'ALL', 'performance': 'ALL'})
        self.driver = Chrome(options=options, service=Service(shutil.which('chromedriver')))
        self.driver.set_window_size(width, height)
        self.driver.set_page_load_timeout(SECONDS)

    def close(self) -> None:
        self.driver.quit()

    # ---- looking

    def open(self, path: str) -> None:
        self.driver.get(f'{self.gui.url}{path}')

    def open_match(self, role: str = '', namespace: str = '/match') -> None:
        self.open(f'/match?ns={namespace}' + (f'&role={role}' if role else ''))
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
            except (StaleElementReferenceException, IndexError):
                pass
            if time.monotonic() > deadline:
                raise AssertionError(
                    f'no {what or condition}\n--- page\n{self.text()}\n--- log\n'
                    f'{self.driver.get_log("browser")}\n{self.gui.graph.report()}'
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

    def click(self, text: str) -> None:
        """Click a button by its text."""

        def find() -> WebElement | None:
            for button in self.find('button'):
                if text in button.text and button.is_displayed():
                    return button
            return None

        button = self.wait(find, f'button {text}')
        self.driver.execute_script('arguments[0].click()', button)

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
