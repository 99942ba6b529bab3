"""Every game is played from the first page to the result: by mouse, by touch and by keys."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pages import Browser, Gui

pytestmark = [pytest.mark.ros, pytest.mark.browser]

Browse = Callable[..., 'Browser']

HANDS = {'mouse': {}, 'touch': {'is_phone': True}, 'keys': {'has_mouse': False}}
# A board, cards, and moves made at the same time, each by other hands. The others take minutes.
QUICK = {('tictactoe', 'mouse'), ('kuhn_poker', 'touch'), ('rock_paper_scissors', 'keys')}
# Random games of chess and backgammon have more than 100 moves of ours, which takes minutes on a
# machine that others use, too [s].
LONGEST = 840
# What the page says at the end, and the outcome that it is coloured by.
OUTCOMES = {'you won': 'won', 'you lost': 'lost', 'a draw': 'draw', 'the game is over': ''}


def cases() -> list[object]:
    """Return all games with all hands; those that are not quick are marked."""
    names = sorted(path.stem for path in (Path(__file__).parents[2] / 'games').glob('*.gdl'))
    return [
        pytest.param(*case, marks=() if case in QUICK else pytest.mark.slow)
        for case in product(names, HANDS)
    ]


@pytest.mark.timeout(LONGEST + 60)
@pytest.mark.parametrize(('game', 'hand'), cases())
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
    if (game, hand) == ('tictactoe', 'mouse'):
        # It is kept, and found again.
        browser.open('/')
        browser.click_link('Tic-tac-toe')
        browser.wait(lambda: browser.find('.gt-history li'), 'the moves of the game')
