"""People play in a real browser: by clicks, by drags, by keys; and see only what is theirs."""

from __future__ import annotations

from collections.abc import Callable
import os
import signal
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from graph import Graph
    from pages import Browser, Gui

pytestmark = [pytest.mark.ros, pytest.mark.browser]

Browse = Callable[..., 'Browser']


def play_to_the_end(browser: Browser) -> str:
    """Play whatever is offered first, until a player has won; return what the page says."""

    def step() -> bool:
        # The view of a role and the public one come one after the other.
        if 'goals: ' in browser.banner and ', ' in browser.banner:
            return True
        targets = browser.find('.gt-square.is-target')
        if browser.banner == 'your turn' and targets:
            browser.hand.tap(targets[0])
        return False

    browser.wait(step, 'end of the game')
    return browser.banner


def test_a_whole_game_of_tictactoe_by_clicks(graph: Graph, gui: Gui, browse: Browse) -> None:
    browser = browse()
    browser.begin('tictactoe', 'x', 'random')
    browser.wait(lambda: len(browser.find('.gt-square.is-target')) == 9, 'nine free squares')
    browser.click_square('2 2')
    browser.wait(lambda: browser.label('2 2') == 'x', 'a cross in the middle')
    browser.wait(lambda: sorted(browser.pieces().values()) == ['o', 'x'], 'an answer')
    result = play_to_the_end(browser)
    status = graph.status(lambda s: s.finished_episodes == 1)
    assert result.startswith(
        {1: 'you won', 0: 'a draw'}.get(
            status.roles[0].wins or -status.roles[0].losses, 'you lost'
        )
    )
    assert status.roles[0].strikes == 0
    assert status.roles[0].agent == '/gui_node'
    assert browser.errors() == []
    # The next game, by keys alone: the cursor starts in the middle.
    browser.click('New game')
    browser.wait(lambda: not browser.pieces(), 'an empty board')
    browser.wait(lambda: len(browser.find('.gt-square.is-target')) == 9, 'nine free squares')
    browser.tab_to('svg[data-board]')
    browser.press('ARROW_UP', 'ARROW_UP', 'ARROW_LEFT', 'ENTER')
    browser.wait(lambda: browser.label('1 1') == 'x', 'a cross in the corner')


def test_chess_moves_by_drag_and_by_list(graph: Graph, gui: Gui, browse: Browse) -> None:
    browser = browse()
    browser.begin('chess', 'white')
    browser.wait(lambda: len(browser.find('.gt-square.is-from')) == 10, 'ten pieces that can move')
    browser.drag('e 2', 'e 4')
    browser.wait(lambda: browser.label('e 4') == 'white pawn', 'the pawn')
    assert browser.label('e 2') == ''
    # What is dragged to where it cannot go stays where it was.
    browser.wait_for_turn()
    browser.drag('a 1', 'a 5')
    assert browser.label('a 1') == 'white rook'
    browser.wait_for_turn()
    # From one square to the other by two clicks.
    browser.click_square('g 1')
    browser.wait(lambda: len(browser.find('.gt-square.is-target')) == 3, 'where the knight can go')
    browser.click_square('f 3')
    browser.wait(lambda: browser.label('f 3') == 'white knight', 'the knight')
    # From the list: a slash, some letters, Enter.
    browser.wait_for_turn()
    browser.press('/')
    browser.press('f1 → b5')
    browser.wait(lambda: len(browser.find('.gt-list button')) == 1, 'one move')
    browser.press('ENTER')
    browser.wait(lambda: browser.label('b 5') == 'white bishop', 'the bishop')
    # And all of it with the mouse: a click into the field, and one on what is left.
    browser.wait_for_turn()
    browser.click_filter()
    browser.press_with_control('a')
    browser.press('e1 → g1')
    browser.wait(lambda: len(browser.find('.gt-list button')) == 1, 'one move')
    browser.click('e1 → g1', '.gt-list button')
    browser.wait(lambda: browser.label('g 1') == 'white king', 'the king in its castle')
    assert graph.statuses[-1].roles[0].strikes == 0
    # Back to the beginning, and forth again.
    for _ in range(6):
        browser.step('one step back')
    browser.wait(lambda: browser.label('b 5') == '', 'the position before')
    assert not browser.find('.gt-square.is-from')
    browser.click('now')
    browser.wait(lambda: browser.label('b 5') == 'white bishop', 'the position now')


def test_two_people_and_neither_sees_what_is_hidden(
    graph: Graph, gui: Gui, browse: Browse
) -> None:
    graph.environment('krieg_tictactoe', play_clock=0.0, start_clock=0.0)
    ann, ben, eve = browse(), browse(), browse()
    ann.open_match('x')
    ben.open_match('o')
    ann.click('New game')
    # The role of another cannot be taken, nor looked at.
    eve.open_match('x')
    eve.wait(lambda: 'x is played by someone else' in eve.text(), 'refusal')
    for browser, square in ((ann, '1 1'), (ben, '2 2'), (ann, '3 3'), (ben, '1 3')):
        browser.wait_for_turn()
        browser.click_square(square)
        browser.wait(lambda b=browser, s=square: b.label(s) in {'x', 'o'}, f'mark on {square}')
    ann.wait_for_turn()
    assert ann.pieces() == {'1 1': 'x', '3 3': 'x'}
    assert ben.pieces() == {'2 2': 'o', '1 3': 'o'}
    assert eve.pieces() == {}
    # Not in the page, and not on the wire either: (cell 3 1 o) is column 1, row 3 of the board.
    for browser, name, other in ((ann, 'x', 'o'), (ben, 'o', 'x'), (eve, '', 'x')):
        sent = browser.received()
        assert 'krieg' in sent.lower() or 'gt-' in sent or sent
        for text in (sent, browser.driver.page_source):
            assert f'cell 1 1 {other}' not in text or name == other
            assert f'(sees {other}' not in text
    assert '"label":"o"' not in ann.received()
    # A mark of the other is discovered, by who tried, and by nobody else.
    ann.click_square('2 2')
    ann.wait(lambda: ann.label('2 2') == 'o', 'discovery')
    assert ben.pieces() == {'2 2': 'o', '1 3': 'o'}


def test_who_plays_on_a_phone_needs_no_second_hand(graph: Graph, gui: Gui, browse: Browse) -> None:
    browser = browse(is_phone=True)
    browser.begin('connect_four', 'red', play_clock=30.0)
    # Nothing sticks out, so that nothing has to be pushed around.
    width = browser.driver.execute_script('return document.documentElement.scrollWidth')
    assert width <= browser.driver.execute_script('return window.innerWidth')
    assert browser.find('.gt-clock')[0].text.endswith(' s')
    # Where discs would come to rest is seen without a mouse.
    dots = browser.find('[data-square]:has(.gt-dot)')
    assert {dot.get_attribute('data-coordinates')[-1] for dot in dots} == {'1'} and len(dots) == 7
    browser.click_square('4 5')
    browser.wait(lambda: browser.label('4 1') == 'red', 'a disc at the bottom')
    browser.wait(lambda: browser.label('1 1') == 'yellow', 'an answer')


def test_chess_on_a_phone_with_one_finger(graph: Graph, gui: Gui, browse: Browse) -> None:
    browser = browse(is_phone=True)
    browser.begin('chess', 'white')
    browser.wait(lambda: len(browser.find('.gt-square.is-from')) == 10, 'ten pieces that can move')
    browser.drag('e 2', 'e 4')
    browser.wait(lambda: browser.label('e 4') == 'white pawn', 'the pawn')
    browser.wait_for_turn()
    # Who scrolls the page with a finger on the board has chosen nothing, and the board lives on.
    where = 'return window.scrollY'
    before = browser.driver.execute_script(where)
    browser.hand.scroll(browser.square('e 5'), 200)
    browser.wait(lambda: browser.driver.execute_script(where) > before, 'another part of the page')
    browser.press('/', 'g1 → f3', 'ENTER')
    browser.wait(lambda: browser.label('f 3') == 'white knight', 'the knight')
    browser.wait_for_turn()
    browser.click_filter()
    browser.press_with_control('a')
    browser.press('f1 → b5')
    browser.wait(lambda: len(browser.find('.gt-list button')) == 1, 'one move')
    browser.click('f1 → b5', '.gt-list button')
    browser.wait(lambda: browser.label('b 5') == 'white bishop', 'the bishop')
    assert graph.statuses[-1].roles[0].strikes == 0


def test_a_state_that_was_on_its_way_asks_for_no_move_again(
    graph: Graph, gui: Gui, browse: Browse
) -> None:
    browser = browse()
    browser.begin('tictactoe', 'x')
    targets = '.gt-square.is-target'
    browser.wait(lambda: len(browser.find(targets)) == 9, 'nine free squares')
    # What the page was sent last comes once more while the server has not heard of the move.
    browser.driver.execute_script(
        """const table = getElement(document.querySelector('.gt').id.slice(1));
        const state = structuredClone(table.state);
        window.sendAgain = () => table.show(state)"""
    )
    server = gui.process.popen.pid
    os.kill(server, signal.SIGSTOP)
    try:
        browser.click_square('2 2')
        browser.wait(lambda: not browser.find(targets), 'a move that was sent')
        browser.driver.execute_script('sendAgain()')
        assert not browser.find(targets)
    finally:
        os.kill(server, signal.SIGCONT)
    browser.wait(lambda: browser.label('2 2') == 'x', 'a cross in the middle')
    # The next turn is one.
    browser.wait(lambda: browser.find(targets), 'free squares')
    assert browser.errors() == []
