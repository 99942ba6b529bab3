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


OUTCOMES = {'you won': 'won', 'you lost': 'lost', 'a draw': 'draw', 'the game is over': ''}
HANDS = {'mouse': {}, 'touch': {'is_phone': True}, 'keys': {'has_mouse': False}}


def games() -> list[object]:
    """Return all games there are, with each kind of hand; those that are not quick are marked."""
    names = sorted(path.stem for path in (Path(__file__).parents[2] / 'games').glob('*.gdl'))
    found = []
    for name in names:
        for hand in HANDS:
            # To go from field to field by keys takes longer.
            is_quick = name in QUICK and (hand != 'keys' or name == 'tictactoe')
            marks = () if is_quick else pytest.mark.slow
            found.append(pytest.param(name, hand, marks=marks, id=f'{name}-{hand}'))
    return found


@pytest.mark.parametrize(('game', 'hand'), games())
def test_a_whole_game(game: str, hand: str, gui: Gui, browse: Browse) -> None:
    from whole_game import Person

    browser = browse(**HANDS[hand])
    person = Person(browser, seed=1)
    person.open_table(game)
    result = person.play(LONGEST)
    assert person.moves > 0
    words = next((words for words in OUTCOMES if result.startswith(words)), '')
    assert words, result
    # Its colour is that of the words: a defeat is not green.
    banner = browser.find('.gt-banner')[0]
    browser.wait(lambda: banner.get_attribute('data-outcome') == OUTCOMES[words], 'its colour')
    assert browser.errors() == []
    person.end_table()
