"""Ways to play from the first page: against an agent, together at one screen, by invitation."""

from __future__ import annotations

from collections.abc import Callable
import os
from pathlib import Path
import re
import signal
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pages import Browser, Gui

pytestmark = [pytest.mark.ros, pytest.mark.browser]

Browse = Callable[..., 'Browser']
# What every card is sent with, in JSON, whether in quotes once or twice.
CARDS = re.compile(r'is_up\\*"')


def open_home(browser: Browser, game: str = 'tictactoe') -> None:
    browser.open(f'/?game={game}')
    browser.wait(lambda: browser.find('.gt-tile.is-chosen'), 'the gallery')


def end_table(browser: Browser) -> None:
    browser.open('/')
    browser.click('End')
    browser.wait(lambda: not any('End' in b.text for b in browser.find('button')), 'end')


def test_two_people_play_at_one_screen(gui: Gui, browse: Browse) -> None:
    browser = browse()
    open_home(browser, 'connect_four')
    browser.click('Two people here')
    for number, role in enumerate(('red', 'yellow', 'red')):
        words = f'{role}, it is your turn'
        browser.wait(lambda words=words: browser.banner == words, words)
        browser.click_square('1 1')
        browser.wait(lambda n=number: len(browser.pieces()) == n + 1, 'a disc')
    end_table(browser)


def test_a_curtain_comes_between_players_with_secrets(gui: Gui, browse: Browse) -> None:
    browser = browse(is_phone=True)
    open_home(browser, 'kuhn_poker')
    browser.received()
    browser.click('Two people here')
    # Nothing of the game is sent before the one whose turn it is says so.
    browser.wait(lambda: browser.find('[data-mark=curtain]')[0].is_displayed(), 'the curtain')
    who = browser.find('[data-mark=curtain]')[0].text
    assert not CARDS.search(browser.received())
    browser.click('I am')
    browser.wait(lambda: 'it is your turn' in browser.banner, 'a turn')
    assert CARDS.search(browser.received())
    role = browser.banner.partition(',')[0]
    assert role in who
    browser.tap(lambda: browser.find('.gt-list button')[0], 'a bet')
    browser.wait(lambda: browser.find('[data-mark=curtain]')[0].is_displayed(), 'the curtain')
    assert role not in browser.find('[data-mark=curtain]')[0].text
    assert not browser.find('.gt-card')
    end_table(browser)


def test_an_invitation_is_a_link_and_a_code(gui: Gui, browse: Browse) -> None:
    host, guest = browse(), browse(is_phone=True)
    open_home(host)
    host.click('Invite by link')
    host.wait(lambda: host.find('.gt-code svg path'), 'a code')
    address = host.wait(lambda: host.find('.q-dialog a')[0].get_attribute('href'), 'a link')
    assert address.startswith(gui.url) and address.endswith('role=o')
    # The tests' own server cannot be reached from elsewhere, and the page says so.
    host.wait(lambda: 'gdl gui --host 0.0.0.0' in host.text(), 'what to do about it')
    host.click('To the table')
    guest.open(address.removeprefix(gui.url))
    host.wait(lambda: host.banner == 'your turn', 'turn')
    host.click_square('2 2')
    guest.wait(lambda: guest.label('2 2') == 'x' and guest.banner == 'your turn', 'the move')
    assert guest.errors() == []
    end_table(host)


def test_a_dead_environment_is_started_again(gui: Gui, browse: Browse) -> None:
    browser = browse()
    open_home(browser)
    browser.click('Play', '[data-mark=play]')
    browser.wait(lambda: browser.banner == 'your turn', 'turn')
    table = browser.driver.current_url.partition('ns=')[2].partition('&')[0]
    (environment,) = find_processes(gui.process.popen.pid, 'env_node', table)
    os.kill(environment, signal.SIGKILL)
    browser.click('Start again')
    browser.wait(lambda: 'table_' in browser.driver.current_url, 'another table')
    browser.wait(lambda: browser.banner == 'your turn', 'turn at another table')
    end_table(browser)


def find_processes(parent: int, name: str, table: str) -> list[int]:
    """Return the nodes of a name at a table, among what a process has started."""
    parents: dict[int, int] = {}
    named = []
    for folder in Path('/proc').glob('[0-9]*'):
        try:
            stat = (folder / 'stat').read_text().rpartition(')')[2].split()
            words = (folder / 'cmdline').read_bytes().split(b'\0')
        except OSError:
            continue
        parents[int(folder.name)] = int(stat[1])
        is_there = any(word.endswith(table.encode()) for word in words)
        if is_there and any(word.endswith(f'/{name}'.encode()) for word in words):
            named.append(int(folder.name))

    def is_below(process: int) -> bool:
        while process and process != parent:
            process = parents.get(process, 0)
        return process == parent

    return [process for process in named if is_below(process)]
