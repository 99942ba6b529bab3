"""Which position a page shows: the newest, until a person goes elsewhere."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('nicegui', reason='NiceGUI is not installed')


class GrowingFrames:
    """Has one more position at each look: another thread adds them."""

    version = 0

    def __init__(self) -> None:
        self._last = 0

    @property
    def span(self) -> tuple[int, int]:
        """Return the numbers of the first and the last position."""
        self._last += 1
        return 0, self._last


async def ignore(tick: int, move: str) -> None:
    """Play no move."""


@pytest.fixture
def navigator(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Build the navigator of a match that continues."""
    from nicegui.client import Client
    from nicegui.page import page

    from gdl_env.gui import texts
    from gdl_env.gui.components.table import GameTable
    from gdl_env.gui.pages.navigator import Navigator

    monkeypatch.setattr(texts, '_find_language', lambda: 'en')
    link: Any = SimpleNamespace(info=None, seats={}, is_open=True, frames=None)
    with Client(page('/nowhere')):
        made = Navigator(SimpleNamespace(), link, '', GameTable(ignore))  # type: ignore[arg-type]
        made.build()
        history: Any = SimpleNamespace(frames=GrowingFrames(), entries=list)
        made.history = history
        yield made


def test_a_position_that_comes_while_the_slider_moves_does_not_hold_the_page(
    navigator: Any,
) -> None:
    for _ in range(3):
        navigator.draw(1)
        assert navigator.number is None


def test_a_person_moves_the_slider(navigator: Any) -> None:
    navigator.draw(1)
    navigator.slider.set_value(0)
    assert navigator.number == 0
