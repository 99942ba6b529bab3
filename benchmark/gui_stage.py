"""A stage for the web interface: nodes in a domain of their own, and a browser that looks on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
import os
from pathlib import Path
import shutil
import signal
import subprocess
import sys
import time
from typing import Any
from urllib.request import urlopen

from selenium.common.exceptions import WebDriverException
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

SCRIPTS = Path(sys.executable).parent
# Others can be named, so that two of these run side by side.
PORT = int(os.environ.get('GDL_GUI_PORT', '8377'))
URL = f'http://127.0.0.1:{PORT}'
# Nobody else is likely to be there; the tests take others.
DOMAIN = os.environ.get('ROS_DOMAIN_ID', '101')
PATIENCE = 120.0
WIDE = (1280, 800)
OPTIONS = (
    *('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'),
    *('--disable-background-networking', '--disable-component-update', '--disable-sync'),
    *('--no-first-run', '--disable-extensions', '--hide-scrollbars'),
)


class Stage:
    """Starts nodes, and ends them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._running: list[subprocess.Popen[bytes]] = []
        self.gui = self.start('gui_node', namespace='/', port=PORT, folder=str(folder))
        wait(_is_served, 'the server')

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self.end(*self._running)

    def start(self, executable: str, namespace: str, **parameters: object) -> Any:
        """Start a node."""
        command = [str(SCRIPTS / executable), '--ros-args', '-r', f'__ns:={namespace}']
        if 'role' in parameters:
            command += ['-r', f'__node:={parameters["role"]}_{executable.partition("_")[0]}']
        for name, value in parameters.items():
            command += ['-p', f'{name}:={value!r}']
        environment = {
            **os.environ,
            'ROS_DOMAIN_ID': DOMAIN,
            'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
            'AMENT_PREFIX_PATH': str(SCRIPTS.parent),
        }
        log = (self.folder / f'{len(self._running)}_{executable}.log').open('wb')
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
        self._running.append(process)
        return process

    def end(self, *processes: subprocess.Popen[bytes]) -> None:
        """End nodes, and wait for them."""
        for process in processes:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        for process in processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
            if process in self._running:
                self._running.remove(process)


class Page:
    """A browser of some size."""

    def __init__(self, width: int, height: int, *more: str) -> None:
        options = ChromeOptions()
        for option in (*OPTIONS, f'--window-size={width},{height}', *more):
            options.add_argument(option)
        self.driver = Chrome(options=options, service=Service(shutil.which('chromedriver')))
        self.resize(width, height)

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self.driver.quit()

    def resize(self, width: int, height: int) -> None:
        """Set the size of the page itself; windows have borders, and a least width."""
        metrics = {'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': False}
        self.driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', metrics)

    def open(self, path: str) -> None:
        self.driver.get(f'{URL}{path}')

    def find(self, selector: str) -> list[Any]:
        return list(self.driver.find_elements(By.CSS_SELECTOR, selector))

    def wait(self, condition: Callable[[], Any], what: str) -> Any:
        def ask() -> Any:
            try:
                return condition()
            except (WebDriverException, IndexError):
                return None

        return wait(ask, what)

    def click(self, text: str) -> None:
        """Click a button by its text."""

        def find() -> Any:
            return next(b for b in self.find('button') if text in b.text and b.is_displayed())

        self.wait(lambda: (find().click(), True), f'button {text}')


@contextmanager
def table(stage: Stage, game: str, agents: dict[str, str]) -> Iterator[None]:
    """Run a match in the namespace /show."""
    nodes = [stage.start('env_node', '/show', game=game, play_clock=0.0, start_clock=0.0, seed=4)]
    nodes += [
        stage.start(f'{agent}_agent', '/show', role=role, seed=7) for role, agent in agents.items()
    ]
    try:
        yield
    finally:
        stage.end(*nodes)
        # Until it is known that they are gone, the next match would be taken for theirs.
        time.sleep(4)


def wait(condition: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """Wait until something is the case, and return it."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise SystemExit(f'waited {seconds:g} s for {what}')
        time.sleep(0.05)
    return found


def _is_served() -> bool:
    try:
        with urlopen(URL, timeout=30) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
