"""The list of moves, in a real browser: clicks, keys, addresses, copies and recordings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from graph import Graph
    from pages import Browser, Gui

pytestmark = [pytest.mark.ros, pytest.mark.browser]

Browse = Callable[..., 'Browser']


def moves(browser: Browser) -> list[str]:
    """Return the list of moves as it is read, numbers included."""
    return [' '.join(b.text.split()) for b in browser.find('.gt-history button')]


def shown(browser: Browser) -> str:
    """Return the move whose position is shown."""
    found = browser.find('.gt-history button[aria-current]')
    return ' '.join(found[0].text.split()) if found else ''


def play(browser: Browser, *squares: str) -> None:
    for square in squares:
        browser.wait_for_turn()
        browser.click_square(square)
        browser.wait(lambda square=square: browser.label(square) == 'x', f'x at {square}')


def test_moves_are_listed_and_lead_back(graph: Graph, gui: Gui, browse: Browse) -> None:
    browser = browse()
    browser.begin('tictactoe', 'x', undo=10)
    play(browser, '2 2', '3 3')
    browser.wait(lambda: len(moves(browser)) == 5, lambda: f'five entries: {moves(browser)}')
    assert moves(browser)[:3] == ['start', '1 row 2, column 2', '2 row 1, column 1']
    # The last move is marked for those who play, too.
    browser.wait(lambda: browser.find('[data-square] .gt-last'), 'the mark of the last move')
    browser.click('row 2, column 2', '.gt-history button')
    browser.wait(lambda: browser.pieces() == {'2 2': 'x'}, 'the position after the first move')
    assert shown(browser) == '1 row 2, column 2'
    browser.wait(lambda: '&at=' in browser.driver.current_url, 'an address of its own')
    browser.press('ARROW_RIGHT')
    browser.wait(lambda: shown(browser) == '2 row 1, column 1', 'the next one')
    browser.press('HOME')
    browser.wait(lambda: browser.pieces() == {}, 'the beginning')
    # The address is that of the position, for others as well.
    other = browse()
    other.driver.get(browser.driver.current_url.replace('&role=x', ''))
    other.wait(lambda: other.find('.gt-history button[aria-current]'), 'a list of moves')
    other.wait(lambda: shown(other) == 'start' and other.pieces() == {}, 'the same position')
    browser.click('now')
    browser.wait(lambda: len(browser.pieces()) == 4, 'the game as it is')
    # What is taken back stays as a branch.
    browser.click('Undo')
    browser.wait(lambda: len(browser.pieces()) == 2, 'the position before')
    play(browser, '3 1')
    browser.wait(lambda: '3 row 1, column 3' in moves(browser), lambda: f'{moves(browser)}')
    undone = [' '.join(b.text.split()) for b in browser.find('.gt-history .is-undone button')]
    assert undone[0] == '3 row 3, column 3'
    assert browser.errors() == []


def test_a_game_is_saved_and_opened(graph: Graph, gui: Gui, browse: Browse) -> None:
    from gdl_env.engine.recordings.reader import read_recordings
    from gdl_env.engine.recordings.replay import replay
    from gdl_env.engine.registry import open_engine
    from gdl_env.language.load import open_game

    browser = browse()
    browser.begin('tictactoe', 'x')
    play(browser, '3 3', '2 2')
    before = set((gui.folder / 'recordings').glob('*.jsonl'))
    browser.step('copy, save or invite')
    browser.click('Save as a recording', '.q-item')
    found = browser.wait(
        lambda: set((gui.folder / 'recordings').glob('*.jsonl')) - before, 'a recording'
    )
    recording = next(iter(read_recordings(found.pop())))
    assert [str(m) for s in recording.steps for m in s.moves.values() if str(m) != 'noop'][:1] == [
        '(mark 3 3)'
    ]
    # The rules agree with every step of it.
    assert replay(open_engine(open_game('tictactoe')), recording) is None


def test_resigning_and_a_rematch_with_sides_changed(
    graph: Graph, gui: Gui, browse: Browse
) -> None:
    browser = browse()
    browser.open('/')
    browser.choose('o', 'legal')
    browser.click('Start')
    browser.wait_for_turn()
    browser.click('Resign')
    browser.wait(lambda: browser.banner.startswith('you resigned'), 'the end')
    assert browser.find('.gt-banner')[0].get_attribute('data-outcome') == 'lost'
    browser.click('Rematch')
    browser.wait(lambda: 'role=o' in browser.driver.current_url, 'the other side')
    # The agent has the first move now.
    browser.wait(lambda: browser.pieces() == {'1 1': 'x'}, 'a move of the other side')
    browser.wait_for_turn()
    browser.open('/')
    browser.wait(lambda: 'Tic-tac-toe: you against legal' in browser.text(), 'one match')
    browser.click('End')
    browser.wait(lambda: 'you against' not in browser.text(), 'none')
