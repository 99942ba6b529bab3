"""What the tests of the web interface share: a domain, a server on it, and real browsers.

Servers and browsers take seconds to start, so one server and a few browsers serve all tests. Each
test has a namespace of its own on the graph, and its browsers know nothing of the tests before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from graph import Graph
    from pages import Browser, BrowserPool, Gui

HERE = Path(__file__).parent
# The graph of the tests of the nodes is ours, too.
sys.path[:0] = [str(HERE), str(HERE.parent / 'ros')]

NEEDED = ('chromium', 'chromedriver')
_numbers = count(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests marked `browser` where there is none."""
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if not missing:
        return
    skip = pytest.mark.skip(reason=f'no {" and no ".join(missing)}: apt install chromium-driver')
    for item in items:
        if item.get_closest_marker('browser'):
            item.add_marker(skip)


@pytest.fixture(scope='session')
def domain() -> Iterator[int]:
    """Take a domain for all tests."""
    pytest.importorskip('rclpy', reason='ROS 2 is not installed')
    from domains import free_domain

    with free_domain() as number:
        yield number


@pytest.fixture
def graph(domain: int, tmp_path: Path) -> Iterator[Graph]:
    """Open a graph for one test."""
    from graph import Graph

    graph = Graph(tmp_path, domain, f'/match_{next(_numbers)}')
    yield graph
    graph.close()


@pytest.fixture(scope='session')
def server(domain: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gui]:
    """Start a server."""
    pytest.importorskip('nicegui', reason='NiceGUI is not installed')
    from pages import open_gui

    with open_gui(tmp_path_factory.mktemp('gui'), domain) as gui:
        yield gui


@pytest.fixture
def gui(server: Gui, graph: Graph) -> Iterator[Gui]:
    """Look at the graph of the test."""
    server.look_at(graph)
    yield server
    server.end_tables()


@pytest.fixture(scope='session')
def pool() -> Iterator[BrowserPool]:
    """Keep browsers for all tests."""
    pytest.importorskip('selenium', reason='selenium is not installed')
    from pages import BrowserPool

    pool = BrowserPool()
    yield pool
    pool.close()


@pytest.fixture
def browse(gui: Gui, pool: BrowserPool) -> Iterator[Callable[..., Browser]]:
    """Open browsers, each of a person of its own."""
    from hands import PHONE
    from pages import Browser

    opened: list[Browser] = []

    def open_one(
        width: int = 1200, height: int = 900, *, is_phone: bool = False, has_mouse: bool = True
    ) -> Browser:
        width, height = PHONE if is_phone else (width, height)
        how = {'is_phone': is_phone, 'has_mouse': has_mouse}
        opened.append(Browser(gui, pool.take(), width, height, **how))
        return opened[-1]

    yield open_one
    for browser in opened:
        pool.give_back(browser.driver)
