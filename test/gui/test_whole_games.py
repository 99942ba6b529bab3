"""Every game is played from the first page to the result: by mouse, by touch and by keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pages import Browser, Gui

pytestmark = [pytest.mark.ros, pytest.mark.browser]

Browse = Callable[..., 'Browser']

# One of each kind, and short: a board, cards, a die, moves made at the same time. The others take
# minutes together.
QUICK = {'tictactoe', 'kuhn_poker', 'pig', 'rock_paper_scissors'}
# A game of chess at random has 300 moves [s].
LONGEST = 280


def games() -> list[object]:
    """Return all games there are; those that are not quick are marked."""
    names = sorted(path.stem for path in (Path(__file__).parents[2] / 'games').glob('*.gdl'))
    return [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in names]


HANDS = {'mouse': {}, 'touch': {'is_phone': True}, 'keys': {'has_mouse': False}}


@pytest.mark.parametrize('hand', HANDS)
@pytest.mark.parametrize('game', games())
def test_a_whole_game(game: str, hand: str, gui: Gui, browse: Browse) -> None:
    from whole_game import Person

    browser = browse(**HANDS[hand])
    person = Person(browser, seed=1)
    person.open_table(game)
    result = person.play(LONGEST)
    assert person.moves > 0
    assert result.startswith(('you won', 'you lost', 'a draw', 'the game is over')), result
    assert browser.errors() == []
    person.end_table()
