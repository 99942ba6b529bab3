"""Everybody can play: no page breaks a rule of axe, and the keyboard alone is enough."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pages import Browser, Gui

pytestmark = [pytest.mark.ros, pytest.mark.browser]
axe = pytest.importorskip('axe_core_python', reason='axe-core-python is not installed')

Browse = Callable[..., 'Browser']
SCRIPT = Path(axe.__file__).parent / 'axe.min.js'
_RUN = """const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ['violations']}).then((found) => done(found.violations.map(
    (v) => [v.id, v.help, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200))])))"""
# What reaches beyond the right edge of the page, unless it can be scrolled by itself.
_TOO_WIDE = """const inside = (e) => e.closest('.gt-scroll, .cm-editor, .q-drawer, .gt-kinds');
return [...document.querySelectorAll('body *')].filter((e) => !inside(e)
    && e.getBoundingClientRect().right > innerWidth + 1
    && e.getClientRects().length).map((e) => e.outerHTML.slice(0, 120)).slice(0, 5)"""
_IS_ON_BOARD = "return document.activeElement.matches('svg[data-board]')"
AROUND = ('UP', 'LEFT', 'DOWN', 'DOWN', 'RIGHT', 'RIGHT', 'UP', 'UP', 'LEFT', 'DOWN')
PAGES = ('/', '/editor', '/train', '/tournament', '/replay', '/graph')


def violations(browser: Browser) -> list[Any]:
    """Return the rules that a page breaks, with examples."""
    browser.driver.execute_script(SCRIPT.read_text('utf-8'))
    return list(browser.driver.execute_async_script(_RUN))


@pytest.mark.parametrize('path', PAGES)
def test_pages_break_no_rule(path: str, gui: Gui, browse: Browse) -> None:
    browser = browse()
    broken = {}
    for scheme in ('dark', 'light'):
        emulate(browser, scheme)
        browser.open(path)
        browser.wait(lambda: browser.find('html[lang] .q-page h1'), 'the page')
        if path == '/editor':
            browser.wait(lambda: 'no errors' in browser.text(), 'a checked draft')
        broken[scheme] = violations(browser)
    assert broken == {'dark': [], 'light': []}


@pytest.mark.parametrize('path', PAGES)
def test_pages_fit_at_200_percent_and_on_phones(path: str, gui: Gui, browse: Browse) -> None:
    # A screen of 1280 pixels at 200 % has room for 640; phones are narrower still.
    for is_phone in (False, True):
        browser = browse(640, 450, is_phone=is_phone)
        browser.open(path)
        browser.wait(lambda b=browser: b.find('html[lang] .q-page h1'), 'the page')
        wide = browser.driver.execute_script(_TOO_WIDE)
        assert wide == [], path


# A board and cards are played by keys below, and looked at then.
@pytest.mark.slow
@pytest.mark.parametrize(
    'game', ['backgammon', 'doppelkopf', 'pig', 'sokoban', 'nim', 'leduc_poker']
)
def test_tables_break_no_rule(game: str, gui: Gui, browse: Browse) -> None:
    from whole_game import Person

    browser = browse()
    person = Person(browser, seed=1)
    person.open_table(game)
    person.play_some(1)
    check_table(browser)
    person.end_table()


def check_table(browser: Browser) -> None:
    """Look for broken rules on a table, light and dark."""
    broken = {'light': violations(browser)}
    emulate(browser, 'dark')
    try:
        browser.wait(lambda: browser.find('.body--dark'), 'dark page')
        broken['dark'] = violations(browser)
    finally:
        emulate(browser, 'light')
    assert broken == {'light': [], 'dark': []}


def emulate(browser: Browser, scheme: str) -> None:
    features = [{'name': 'prefers-color-scheme', 'value': scheme}]
    browser.driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {'features': features})


# ---- by keys


def test_a_board_is_played_and_read_by_keys_alone(gui: Gui, browse: Browse) -> None:
    from whole_game import Person

    browser = browse()
    person = Person(browser, seed=1)
    person.open_table('tictactoe')
    person.play_some(1)
    check_table(browser)
    spoken = set()
    # From the middle, where the keys begin, around the board and back.
    for step in islice(cycle(AROUND), 40):
        person.play_some(0)
        if person.kind == 'result':
            break
        if not browser.driver.execute_script(_IS_ON_BOARD):
            browser.tab_to('svg[data-board]')
            browser.press('ENTER', 'ENTER')
            person.play_some(0)
        browser.press(f'ARROW_{step}')
        spoken.add(browser.find('.gt-say')[0].get_attribute('textContent'))
        browser.press('ENTER')
    browser.wait(lambda: person.kind == 'result', 'the result')
    assert len(spoken) > 1 and all(spoken)
    person.end_table()


def test_cards_are_played_by_keys_alone(gui: Gui, browse: Browse) -> None:
    from whole_game import Person

    browser = browse()
    person = Person(browser, seed=1)
    person.open_table('kuhn_poker')
    person.play_some(0)
    check_table(browser)
    for _ in range(3):
        person.play_some(0)
        if person.kind == 'result':
            break
        browser.tab_to('.gt-list button')
        browser.press('ENTER')
        browser.wait(
            lambda: not browser.find('.gt-list button') or person.kind == 'result', 'move'
        )
    browser.wait(lambda: person.kind == 'result', 'the result')
    assert 'chip' in browser.banner
    person.end_table()


def test_arrows_are_moves_and_a_long_game_is_one_stop_of_the_tab_key(
    gui: Gui, browse: Browse
) -> None:
    from whole_game import Person

    browser = browse()
    person = Person(browser, seed=1)
    person.open_table('sokoban')
    person.play_some(0)
    # An arrow key that is no move, because a wall is there, does not leave the game.
    browser.press('ARROW_UP', 'ARROW_LEFT')
    browser.press('ARROW_DOWN')
    browser.wait(lambda: len(browser.find('.gt-history button')) == 2, 'a move')
    assert 'earlier' not in browser.banner
    # The last move is marked where it led, not beside.
    marks = browser.find('[data-square]:has(.gt-last)')
    assert {mark.get_attribute('data-coordinates') for mark in marks} == {'2 3'}
    person.play_some(2)
    browser.wait(lambda: len(browser.find('.gt-history button')) > 3, 'a list of moves')
    assert len(browser.find('.gt-history button[tabindex="0"]')) == 1
    assert len(browser.find('.gt-list button')) > 1
    assert len(browser.find('.gt-list button[tabindex="0"]')) == 1
    # From there, keys lead through the game.
    browser.tab_to('.gt-history button')
    browser.press('HOME')
    browser.wait(lambda: 'start' in shown_move(browser), 'the beginning')
    browser.press('ARROW_RIGHT')
    browser.wait(lambda: 'start' not in shown_move(browser), 'the first move')
    person.end_table()


def shown_move(browser: Browser) -> str:
    """Return the move whose position is shown."""
    found = browser.find('.gt-history button[aria-current]')
    return found[0].text if found else ''


@pytest.mark.slow
@pytest.mark.parametrize('is_phone', [False, True], ids=['arrows', 'swipes'])
def test_sokoban_is_played_by_arrow_keys_and_swipes(
    is_phone: bool, gui: Gui, browse: Browse
) -> None:
    from whole_game import Person

    browser = browse(is_phone=is_phone)
    person = Person(browser, seed=1)
    person.open_table('sokoban')
    for key, way in (('ARROW_RIGHT', (60, 0)), ('ARROW_LEFT', (-60, 0))):
        person.play_some(0)
        before = browser.pieces()
        if is_phone:
            browser.hand.swipe(browser.find('svg[data-board]')[0], *way)
        else:
            browser.press(key)
        browser.wait(lambda before=before: browser.pieces() != before, 'a step')
    person.end_table()
