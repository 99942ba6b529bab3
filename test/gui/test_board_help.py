"""What a board does for those who play: why not, which column, whose side, what decided."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from graph import Graph
    from pages import Browser, Gui

pytestmark = [pytest.mark.ros, pytest.mark.browser]

Browse = Callable[..., 'Browser']


def why(browser: Browser) -> str:
    found = [part for part in browser.find('.gt-why') if part.is_displayed()]
    return found[0].text if found else ''


def fired(browser: Browser) -> list[str]:
    return [line.text for line in browser.find('.gt-rules .is-fired')]


def test_a_click_that_is_illegal_is_explained(graph: Graph, gui: Gui, browse: Browse) -> None:
    browser = browse()
    browser.begin('tictactoe', 'x')
    browser.click_square('2 2')
    browser.wait(lambda: browser.label('1 1') == 'o', 'an answer')
    browser.wait_for_turn()
    browser.click_square('1 1')
    browser.wait(lambda: '(true (cell 1 1 b))' in why(browser), 'the literal that fails')
    assert 'not legal for x' in why(browser)
    assert 'line 38' in why(browser)
    # A move that is typed, at any position.
    browser.tap(lambda: browser.find('input[aria-label="a move to be explained"]')[0], 'question')
    browser.press(*'(mark 4 4)', 'ENTER')
    browser.wait(lambda: '(true (cell 4 4 b))' in why(browser), 'the literal that fails')
    # The rules beside the board, with those behind the last move marked.
    browser.tap(lambda: browser.find('[data-mark=rules]')[0], 'rules')
    browser.wait(lambda: fired(browser), 'rules that fired')
    assert any('(next (cell' in line or '(mark' in line for line in fired(browser))
    assert 'Tic-tac-toe' in browser.find('.gt-intro')[0].text
    # The answer goes with the position.
    browser.click_square('3 3')
    browser.wait(lambda: why(browser) == '', 'no answer any more')
    assert browser.errors() == []


def test_nothing_hidden_is_told_to_explain_a_move(graph: Graph, gui: Gui, browse: Browse) -> None:
    browser = browse()
    browser.begin('krieg_tictactoe', 'x')
    browser.tap(lambda: browser.find('input[aria-label="a move to be explained"]')[0], 'question')
    browser.press(*'(mark 9 9)', 'ENTER')
    browser.wait(lambda: 'hides facts' in why(browser), 'word that something is hidden')
    assert '✗' not in why(browser)


def test_columns_light_up_and_the_line_that_won_is_shown(
    graph: Graph, gui: Gui, browse: Browse
) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    browser = browse()
    browser.begin('connect_four', 'red')
    ActionChains(browser.driver).move_to_element(browser.square('4 3')).perform()
    browser.wait(lambda: browser.find('.gt-square.is-lit'), 'a column')
    lit = {s.get_attribute('data-coordinates').split()[0] for s in browser.find('.is-lit')}
    assert lit == {'4'}
    assert len(browser.find('.is-lit')) == 6
    # The other one fills the first column.

    def discs(colour: str) -> int:
        squares = browser.find('[data-square]')
        return sum(colour in (s.get_attribute('aria-label') or '') for s in squares)

    # Its answer may come before a look at the page: what was played is counted.
    for number, column in enumerate(('3 6', '4 6', '5 6', '6 6')):
        browser.wait(lambda n=number: discs('red') == discs('yellow') == n, 'both moves')
        browser.wait_for_turn()
        browser.click_square(column)
    browser.wait(lambda: browser.banner.startswith('you won'), 'a result')
    assert browser.find('.gt-banner')[0].get_attribute('data-outcome') == 'won'
    browser.wait(lambda: len(browser.find('.gt-won')) == 4, 'four squares')


def test_black_sees_the_board_from_its_side(graph: Graph, gui: Gui, browse: Browse) -> None:
    browser = browse()
    browser.begin('breakthrough', 'black')

    def height(label: str) -> float:
        squares = browser.find('[data-square]')
        found = [s for s in squares if label in (s.get_attribute('aria-label') or '')]
        return sum(s.rect['y'] for s in found) / len(found)

    browser.wait(lambda: height('black') > height('white'), 'black at the bottom')
    browser.tap(lambda: browser.find('[data-mark=flip]')[0], 'flip')
    browser.wait(lambda: height('black') < height('white'), 'black at the top')
    # What is drawn the other way round is played in the same way.
    browser.press('f')
    browser.wait(lambda: height('black') > height('white'), 'black at the bottom')
    targets = browser.find('.gt-square.is-from')
    assert targets


# Two processes that search are started, which takes long on a busy machine.
@pytest.mark.slow
def test_positions_are_rated_while_they_are_watched(
    graph: Graph, gui: Gui, browse: Browse
) -> None:
    graph.environment('tictactoe', play_clock=0.0, start_clock=0.0)
    graph.start('legal_agent', role='o')
    player, watcher = browse(), browse()
    player.open_match('x')
    player.click('New game')
    for square in ('1 1', '3 3'):
        player.wait_for_turn()
        player.click_square(square)
        player.wait(lambda square=square: player.label(square) == 'x', f'x at {square}')
    watcher.open_match()
    watcher.wait(lambda: len(watcher.pieces()) == 4, 'the position')
    watcher.tap(lambda: watcher.find('[data-mark=analyse]')[0], 'analyse')
    watcher.wait(lambda: watcher.find('.gt-bar'), 'a bar')
    watcher.wait(lambda: 'proven' in watcher.find('.gt-study')[0].text, 'a proof')
    # One who has to decide is not helped.
    player.tap(lambda: player.find('[data-mark=analyse]')[0], 'analyse')
    player.step('one step back')
    player.wait(lambda: player.find('.gt-bar'), 'a bar of the position before')
    player.click('now')
    player.wait(lambda: not player.find('.gt-bar'), 'no bar')


# Says how pieces moved since it was asked last: from where, or nothing for those that appeared.
WATCH_MOTION = """window.gtMotions = [];
const animate = Element.prototype.animate;
Element.prototype.animate = function (frames, how) {
  if (this.dataset.piece) window.gtMotions.push([this.dataset.piece, frames[0].transform || '']);
  return animate.call(this, frames, how);
}"""


def motions(browser: Browser) -> list[list[str]]:
    return list(browser.driver.execute_script('return window.gtMotions.splice(0)'))


def planned(browser: Browser) -> list[str]:
    script = """return [...document.querySelectorAll('.gt-planned')]
        .map((mark) => mark.closest('[data-square]').dataset.coordinates).sort()"""
    return list(browser.driver.execute_script(script))


def test_moves_are_chosen_ahead_drawn_and_animated(graph: Graph, gui: Gui, browse: Browse) -> None:
    white, black = browse(), browse()
    white.begin('breakthrough', 'white', agent='')
    black.open_match('black')
    white.wait_for_turn()
    for browser in (white, black):
        browser.driver.execute_script(WATCH_MOTION)
    # What is dragged is there already: only the other one sees it move.
    white.drag('a 2', 'a 3')
    white.wait(lambda: white.label('a 3') == 'white', 'the move')
    # Its board is turned.
    black.wait(lambda: ['5,0', 'translate(0px, -100px)'] in motions(black), 'a piece that slides')
    assert not any(square == '5,0' and how for square, how in motions(white))
    # Ahead of one's turn: two clicks, taken back by Escape, a drag, taken back by a right click.
    white.click_square('b 2')
    white.click_square('b 3')
    white.wait(lambda: planned(white) == ['b 2', 'b 3'], 'a pre-move')
    assert white.find('.gt-arrow.is-planned')
    white.press('ESCAPE')
    white.wait(lambda: planned(white) == [], 'no pre-move')
    white.drag('b 2', 'b 3')
    white.wait(lambda: planned(white) == ['b 2', 'b 3'], 'a pre-move')
    white.hand.draw(white.square('e 5'), white.square('e 5'))
    white.wait(lambda: planned(white) == [], 'no pre-move')
    # One that is legal is played when its turn comes; one that is not is dropped.
    white.drag('b 2', 'b 3')
    black.wait_for_turn()
    black.click_square('h 7')
    black.click_square('h 6')
    white.wait(lambda: white.label('b 3') == 'white', 'the pre-move on the board')
    white.drag('c 2', 'c 7')
    white.wait(lambda: planned(white) == ['c 2', 'c 7'], 'a pre-move')
    black.wait_for_turn()
    black.click_square('g 7')
    black.click_square('g 6')
    white.wait_for_turn()
    assert (white.label('c 2'), planned(white)) == ('white', [])
    # Arrows of one's own, and those of the last move.
    white.hand.draw(white.square('d 2'), white.square('d 4'))
    white.wait(lambda: len(white.find('.gt-arrow.is-own')) == 1, 'an arrow')
    white.hand.draw(white.square('d 2'), white.square('d 4'))
    white.wait(lambda: not white.find('.gt-arrow.is-own'), 'no arrow')
    white.tap(lambda: white.find('[data-mark=arrows]')[0], 'arrows')
    white.wait(lambda: len(white.find('.gt-arrow.is-last')) == 1, 'the last move as an arrow')
    # Who prefers stillness gets it.
    features = [{'name': 'prefers-reduced-motion', 'value': 'reduce'}]
    black.driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {'features': features})
    motions(black)
    white.drag('c 2', 'c 3')
    black.wait(lambda: black.label('c 3') == 'white', 'the move')
    assert motions(black) == []
    # A draw is no result of this game; giving up is one for both.
    assert not any(b.is_displayed() for b in white.find('[data-mark=draw]'))
    black.click('Resign')
    black.wait(lambda: black.banner.startswith('you resigned'), 'the end')
    white.wait(lambda: white.banner == 'black resigned', 'the end')
    outcomes = [b.find('.gt-banner')[0].get_attribute('data-outcome') for b in (white, black)]
    assert outcomes == ['won', 'lost']
    assert white.errors() == black.errors() == []


def test_people_agree_on_a_draw(graph: Graph, gui: Gui, browse: Browse) -> None:
    ann, ben = browse(), browse()
    ann.begin('tictactoe', 'x', agent='')
    ben.open_match('o')
    ann.wait_for_turn()
    ann.click('Offer a draw')
    ben.wait(lambda: 'x offers a draw' in ben.text(), 'the offer')
    # Whoever moves declines.
    ann.click_square('2 2')
    ben.wait(lambda: 'x offers a draw' not in ben.text(), 'no offer any more')
    ben.wait_for_turn()
    ben.click('Offer a draw')
    ann.click('Accept the draw')
    for browser in (ann, ben):
        browser.wait(lambda b=browser: b.banner == 'a draw was agreed', 'the end')
        assert browser.find('.gt-banner')[0].get_attribute('data-outcome') == 'draw'
