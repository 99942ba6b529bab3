"""Moves are tried at any position, and branches stay in the list; chess comes from PGN."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pages import Browser, Gui

pytestmark = [pytest.mark.ros, pytest.mark.browser]

Browse = Callable[..., 'Browser']
GAMES = Path(__file__).parents[2] / 'games'


def wait_for(browser: Browser, squares: dict[str, str]) -> None:
    browser.wait(lambda: browser.pieces() == squares, lambda: f'{squares}, but {browser.pieces()}')


def wait_for_turn(browser: Browser, role: str) -> None:
    browser.wait(lambda: f'{role} to move' in browser.banner, f'turn of {role}')


@pytest.mark.parametrize('has_mouse', [True, False], ids=['mouse', 'keys'])
def test_what_is_tried_is_a_branch_that_one_can_return_from(
    gui: Gui, browse: Browse, has_mouse: bool
) -> None:
    browser = browse(has_mouse=has_mouse)
    browser.open('/replay?game=tictactoe')
    wait_for_turn(browser, 'x')
    browser.click_square('1 1')
    wait_for_turn(browser, 'o')
    browser.click_square('2 2')
    wait_for(browser, {'1 1': 'x', '2 2': 'o'})
    # Back, and something else.
    browser.step('one step back')
    wait_for(browser, {'1 1': 'x'})
    browser.click_square('3 3')
    wait_for(browser, {'1 1': 'x', '3 3': 'o'})
    browser.wait(lambda: len(browser.find('.gt-branch button')) == 1, 'a branch')
    # What was tried before is not tried twice.
    browser.step('one step back')
    wait_for(browser, {'1 1': 'x'})
    browser.click_square('2 2')
    wait_for(browser, {'1 1': 'x', '2 2': 'o'})
    assert len(browser.find('.gt-history button')) == 4
    # Into the branch, and back to the game.
    browser.tap(lambda: browser.find('.gt-branch button')[0], 'the branch')
    wait_for(browser, {'1 1': 'x', '3 3': 'o'})
    browser.tap(lambda: browser.find('.gt-history > ol > li > button')[2], 'the game')
    wait_for(browser, {'1 1': 'x', '2 2': 'o'})
    assert browser.errors() == []


def test_a_recording_is_left_and_saved(gui: Gui, browse: Browse) -> None:
    from gdl_env.engine.recordings.reader import read_recordings
    from gdl_env.engine.recordings.replay import replay
    from gdl_env.engine.registry import open_engine
    from gdl_env.language.load import open_game

    shutil.copy(GAMES / 'connect_four.recording.jsonl', gui.folder)
    browser = browse()
    browser.open('/replay?file=connect_four.recording.jsonl')
    browser.wait(lambda: 'step 0 of' in browser.banner, 'the beginning')
    browser.tap(lambda: browser.find('[data-mark="try"]')[0], 'try moves')
    browser.wait(lambda: 'to move' in browser.banner, 'a turn')
    for count in (1, 2):
        browser.tap(lambda: browser.find('.gt-square.is-line')[0], 'a column')
        browser.wait(lambda count=count: len(browser.pieces()) == count, f'{count} discs')
    browser.step('save this line as a recording')
    saved = browser.wait(lambda: [*(gui.folder / 'recordings').glob('connect_four_*')], 'a file')
    (recording,) = read_recordings(saved[0])
    assert len(recording.steps) == 2
    assert replay(open_engine(open_game('connect_four')), recording) is None


def test_a_match_is_continued_on_a_board_of_its_own(gui: Gui, browse: Browse) -> None:
    browser = browse()
    browser.begin('tictactoe', 'x', undo=10)
    browser.click_square('1 1')
    browser.wait(lambda: len(browser.pieces()) == 2, 'the answer')
    browser.step('copy, save or invite')
    browser.tap(lambda: browser.find('[data-mark="try"]')[0], 'try moves from here')
    browser.wait(lambda: '/replay' in browser.driver.current_url, 'the other page')
    wait_for_turn(browser, 'x')
    assert len(browser.pieces()) == 2
    browser.tap(lambda: browser.find('.gt-square.is-target')[0], 'a square')
    browser.wait(lambda: len(browser.pieces()) == 3, 'the move')
    wait_for_turn(browser, 'o')


def test_chess_from_pgn(gui: Gui, browse: Browse) -> None:
    browser = browse()
    browser.open('/replay')
    field = browser.wait(lambda: browser.find('[data-mark="pgn"] textarea, textarea')[0], 'field')
    browser.tap(lambda: field, 'the field for PGN')
    browser.press(*'1. e4 e5 2. Nf3 Nf3')
    browser.tap(lambda: browser.find('[data-mark="open-pgn"]')[0], 'open')
    browser.wait(lambda: 'move 2... Nf3: this is not a legal move' in browser.text(), 'the error')
    # What was typed is still there, and is put right.
    browser.tap(lambda: field, 'the field for PGN')
    browser.press('END', *['BACKSPACE'] * 2, *'c6 (2... d6) 3. Bb5')
    browser.tap(lambda: browser.find('[data-mark="open-pgn"]')[0], 'open')
    browser.wait(lambda: '/replay?own' in browser.driver.current_url, 'the game')
    browser.wait(lambda: len(browser.find('.gt-branch button')) == 1, 'the variation')
    browser.wait(lambda: 'step 0 of 5' in browser.banner, 'the beginning')
    browser.press('END')
    browser.wait(lambda: browser.label('b 5') == 'white bishop', 'the last move')
    browser.tap(lambda: browser.find('.gt-branch button')[0], 'the variation')
    browser.wait(lambda: browser.label('d 6') == 'black pawn', 'the pawn')
    assert browser.label('c 6') == ''
