"""How quickly a game goes: watched at a speed, step by step, against the clock, together."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pages import Browser, Gui

pytestmark = [pytest.mark.ros, pytest.mark.browser]

Browse = Callable[..., 'Browser']
# A pawn may take a rook on the last rank.
PROMOTION = '1. e4 d5 2. exd5 c6 3. dxc6 Nf6 4. cxb7 Nd5'


def place(browser: Browser) -> int:
    """Return how many moves were made before the position that is shown."""
    words = next((line for line in browser.text().split('\n') if line.startswith('move ')), '')
    return int(words.split()[1]) if words else -1


def open_game(browser: Browser, game: str) -> None:
    browser.open(f'/?game={game}')
    browser.wait(lambda: browser.find('.gt-tile.is-chosen'), 'the gallery')


def end_table(browser: Browser) -> None:
    browser.open('/')
    browser.click('End')
    browser.wait(lambda: not any('End' in words for words in browser.texts('button')), 'end')


def test_a_match_is_watched_at_a_speed_paused_and_stepped(gui: Gui, browse: Browse) -> None:
    browser = browse()
    open_game(browser, 'gomoku')
    for role in ('black', 'white'):
        browser.choose(role, 'random')
    browser.click('Start')
    browser.wait(lambda: place(browser) > 0, 'moves')
    browser.step('to the beginning')
    browser.wait(lambda: place(browser) == 0, 'the beginning')
    browser.step('speed of watching')
    browser.click('1 move/s', '.q-menu .q-item')
    began = monotonic()
    browser.wait(lambda: place(browser) >= 3, 'three moves')
    # Random players make them at once.
    assert monotonic() - began > 2
    # Whoever goes somewhere stays there.
    browser.step('to the beginning')
    browser.wait(lambda: place(browser) == 0, 'the beginning')
    for words, expected in (('one step forward', 1), ('one step back', 0)):
        browser.step(words)
        browser.wait(lambda expected=expected: place(browser) == expected, words)
    browser.click('Pause')
    browser.click('Continue')
    browser.wait(lambda: any('Pause' in words for words in browser.texts('button')), 'Pause')
    assert browser.errors() == []
    end_table(browser)


def test_a_clock_runs_and_grows_with_each_move(gui: Gui, browse: Browse) -> None:
    browser = browse()
    open_game(browser, 'tictactoe')
    for label, value in (('minutes per game', '5'), ('plus seconds per move', '30')):
        browser.tap(lambda label=label: browser.find(f'input[aria-label="{label}"]')[0], label)
        browser.press_with_control('a')
        browser.press(*value)
    browser.choose('o', 'legal')
    browser.click('Start')
    browser.wait_for_turn()

    def left() -> int:
        minutes, _, seconds = browser.texts('.gt-player.is-you .gt-clock')[0].partition(':')
        return 60 * int(minutes) + int(seconds)

    browser.wait(lambda: left() < 300, 'time that passes')
    browser.click_square('2 2')
    browser.wait(lambda: left() > 300, 'the increment')
    end_table(browser)


def test_who_has_chosen_is_told_who_is_awaited(gui: Gui, browse: Browse) -> None:
    host, guest = browse(), browse()
    open_game(host, 'rock_paper_scissors')
    host.click('Invite by link')
    address = host.wait(lambda: host.find('.q-dialog a')[0].get_attribute('href'), 'a link')
    host.click('To the table')
    host.wait(lambda: 'invited' in host.texts('.gt-player')[1], 'who is invited')
    guest.open(address.removeprefix(gui.url))
    host.wait_for_turn()
    host.tap(lambda: host.find('.gt-list button')[0], 'a choice')
    host.wait(lambda: host.banner == 'chosen, waiting for ben', lambda: host.banner)
    assert 'a person' in host.texts('.gt-player')[1]
    guest.wait_for_turn()
    guest.tap(lambda: guest.find('.gt-list button')[0], 'a choice')
    host.wait(lambda: host.banner != 'chosen, waiting for ben', 'the next round')
    end_table(host)


def test_what_a_pawn_becomes_is_asked_at_its_square(gui: Gui, browse: Browse) -> None:
    browser = browse()
    browser.open('/replay')
    browser.tap(lambda: browser.find('textarea')[0], 'games')
    browser.press(*PROMOTION)
    browser.click('Open')
    browser.wait(lambda: len(browser.find('.gt-history button')) == 9, 'the moves')
    browser.press('END')
    browser.wait(lambda: browser.label('b 7') == 'white pawn', 'the pawn')
    browser.wait(lambda: browser.find('.gt-square.is-from'), 'legal moves')
    browser.click_square('b 7')
    browser.click_square('a 8')
    browser.wait(lambda: len(browser.find('.gt-choice.is-at-square button')) == 5, 'a choice')
    browser.click('knight', '.gt-choice button')
    browser.wait(lambda: browser.label('a 8') == 'white knight', 'a knight')
    assert browser.errors() == []
