"""What the tests with real nodes share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from graph import Graph

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Graph]:
    """Open a graph for one test."""
    from graph import open_graph

    with open_graph(tmp_path) as it:
        yield it


@pytest.fixture(scope='module')
def shared_graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    """Open a graph for all tests of a module."""
    from graph import open_graph

    with open_graph(tmp_path_factory.mktemp('graph')) as it:
        yield it
