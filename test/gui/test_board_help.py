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


def test_a_click_that_is_illegal_is_explained(graph: Graph, gui: Gui, browse: Browse) -> None:
    graph.environment('tictactoe', play_clock=0.0, start_clock=0.0)
    graph.start('legal_agent', role='o')
    browser = browse()
    browser.open_match('x')
    browser.click('New game')
    browser.wait(lambda: browser.banner == 'your turn', 'turn')
    browser.click_square('2 2')
    browser.wait(lambda: browser.label('1 1') == 'o', 'an answer')
    browser.wait(lambda: browser.banner == 'your turn', 'turn')
    browser.click_square('1 1')
    browser.wait(lambda: '(true (cell 1 1 b))' in why(browser), 'the literal that fails')
    assert 'not legal for x' in why(browser)
    assert 'line 38' in why(browser)
    # A move that is typed, at any position.
    browser.tap(lambda: browser.find('input[aria-label="a move to be explained"]')[0], 'question')
    browser.press(*'(mark 4 4)', 'ENTER')
    browser.wait(lambda: '(true (cell 4 4 b))' in why(browser), 'the literal that fails')
    # The answer goes with the position.
    browser.click_square('3 3')
    browser.wait(lambda: why(browser) == '', 'no answer any more')
    assert browser.errors() == []


def test_nothing_hidden_is_told_to_explain_a_move(graph: Graph, gui: Gui, browse: Browse) -> None:
    graph.environment('krieg_tictactoe', play_clock=0.0, start_clock=0.0)
    graph.start('legal_agent', role='o')
    browser = browse()
    browser.open_match('x')
    browser.click('New game')
    browser.wait(lambda: browser.banner == 'your turn', 'turn')
    browser.tap(lambda: browser.find('input[aria-label="a move to be explained"]')[0], 'question')
    browser.press(*'(mark 9 9)', 'ENTER')
    browser.wait(lambda: 'hides facts' in why(browser), 'word that something is hidden')
    assert '✗' not in why(browser)


def test_columns_light_up_and_the_line_that_won_is_shown(
    graph: Graph, gui: Gui, browse: Browse
) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    graph.environment('connect_four', play_clock=0.0, start_clock=0.0)
    graph.start('legal_agent', role='yellow')
    browser = browse()
    browser.open_match('red')
    browser.click('New game')
    browser.wait(lambda: browser.banner == 'your turn', 'turn')
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
        browser.wait(lambda: browser.banner == 'your turn', 'turn')
        browser.click_square(column)
    browser.wait(lambda: browser.banner.startswith('you won'), 'a result')
    assert browser.find('.gt-banner')[0].get_attribute('data-outcome') == 'won'
    browser.wait(lambda: len(browser.find('.gt-won')) == 4, 'four squares')


def test_black_sees_the_board_from_its_side(graph: Graph, gui: Gui, browse: Browse) -> None:
    graph.environment('breakthrough', play_clock=0.0, start_clock=0.0)
    graph.start('legal_agent', role='white')
    browser = browse()
    browser.open_match('black')
    browser.click('New game')
    browser.wait(lambda: browser.banner == 'your turn', 'turn')

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
        player.wait(lambda: player.banner == 'your turn', 'turn')
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
