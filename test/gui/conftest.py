"""What the tests of the web interface share: a graph, a server, real browsers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from graph import Graph
    from pages import Browser, Gui

HERE = Path(__file__).parent
# The graph of the tests of the nodes is ours, too.
sys.path[:0] = [str(HERE), str(HERE.parent / 'ros')]

NEEDED = ('chromium', 'chromedriver')


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests marked `browser` where there is none."""
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if not missing:
        return
    skip = pytest.mark.skip(reason=f'no {" and no ".join(missing)}: apt install chromium-driver')
    for item in items:
        if item.get_closest_marker('browser'):
            item.add_marker(skip)


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Graph]:
    """Open a graph for one test."""
    pytest.importorskip('rclpy', reason='ROS 2 is not installed')
    pytest.importorskip('nicegui', reason='NiceGUI is not installed')
    pytest.importorskip('selenium', reason='selenium is not installed')
    from graph import open_graph

    with open_graph(tmp_path) as it:
        yield it


@pytest.fixture
def gui(graph: Graph, tmp_path: Path) -> Gui:
    """Start a server on the graph."""
    from pages import Gui

    return Gui(graph, tmp_path)


@pytest.fixture
def browse(gui: Gui) -> Iterator[Callable[..., Browser]]:
    """Open browsers, each of a person of its own."""
    from pages import Browser

    opened: list[Browser] = []

    def open_one(width: int = 1200, height: int = 900) -> Browser:
        opened.append(Browser(gui, width, height))
        return opened[-1]

    yield open_one
    for browser in opened:
        browser.close()
