"""The web interface: pictures of its pages, and how quick and how steady it is.

python benchmark/gui.py screenshots            pictures into doc/screenshots
python benchmark/gui.py load                   how long the pages take: home, a match, a first move
python benchmark/gui.py drag                   frames a second while a stone is dragged
python benchmark/gui.py spectators --count 50  what the server takes for many who look on
python benchmark/gui.py steady --minutes 10    lag and memory while a match runs on
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
import shutil
import tempfile
import time

from gui_speed import MEASURES
from gui_stage import WIDE, Page, Stage, table, wait
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / 'doc' / 'screenshots'
GAMES = ROOT / 'games'
PHONE = (390, 844)


def screenshots(stage: Stage, wanted: list[str]) -> None:
    """Take the pictures of the scenes that are wanted."""
    with Page(*WIDE) as page:
        for name in wanted or SCENES:
            SCENES[name](stage, page)


def _begin(page: Page, role: str) -> None:
    page.open(f'/match?ns=/show&role={role}')
    page.wait(lambda: page.find(f'.gt-player[data-role="{role}"]'), role)
    page.click('New game')
    page.my_turn()


def _tictactoe(stage: Stage, page: Page) -> None:
    with table(stage, 'tictactoe', {'o': 'random'}):
        _begin(page, 'x')
        _mark(page, '2 2', '1 1', '3 1')
        page.save(PICTURES / 'tictactoe.png')


def _mark(page: Page, *squares: str) -> None:
    """Mark squares that are free, each at its turn."""
    for square in squares:
        page.my_turn()
        if page.find(f'.is-target[data-coordinates="{square}"]'):
            page.square(square)
            time.sleep(0.6)
    page.my_turn()


def _connect_four(stage: Stage, page: Page) -> None:
    with table(stage, 'connect_four', {'yellow': 'random'}):
        _begin(page, 'red')
        for column in (4, 3, 5, 4, 3, 4):
            page.my_turn()
            page.square(f'{column} 6')
            time.sleep(0.6)
        page.my_turn()
        page.save(PICTURES / 'connect_four.png')
        page.resize(*PHONE)
        page.save(PICTURES / 'phone.png')
        page.resize(*WIDE)


def _chess(stage: Stage, page: Page) -> None:
    with table(stage, 'chess', {'black': 'random'}):
        _begin(page, 'white')
        for start, target in (('e 2', 'e 4'), ('d 2', 'd 4'), ('b 1', 'c 3'), ('g 1', 'f 3')):
            page.my_turn()
            page.square(start)
            page.square(target)
            time.sleep(0.6)
        page.my_turn()
        page.square('f 1')
        page.save(PICTURES / 'chess.png')
        page.click('contrast')
        page.save(PICTURES / 'chess_dark.png')
        page.resize(*PHONE)
        page.save(PICTURES / 'phone_dark.png')
        page.click('contrast')
        page.resize(*WIDE)


def _krieg(stage: Stage, page: Page) -> None:
    with table(stage, 'krieg_tictactoe', {'o': 'legal'}):
        _begin(page, 'x')
        _mark(page, '2 2', '1 1', '3 3')
        page.save(PICTURES / 'hidden.png')


def _doppelkopf(stage: Stage, page: Page) -> None:
    agents = {'east': 'random', 'south': 'random', 'west': 'random'}
    with table(stage, 'doppelkopf', agents):
        _begin(page, 'north')
        for _ in range(40):
            page.my_turn()
            if page.find('.gt-card.is-legal') and len(page.find('.gt-hand')) > 4:
                break
            page.wait(lambda: _choose(page), 'something to choose')
            time.sleep(0.7)
        page.save(PICTURES / 'doppelkopf.png')


def _choose(page: Page) -> bool:
    """Say healthy, if asked; else play a card, or whatever there is."""
    buttons = page.find('.gt-list button')
    wanted = [b for b in buttons if b.text in {'a normal game (healthy)', 'say nothing'}]
    found = [*wanted, *page.find('.gt-card.is-legal'), *buttons]
    if found:
        ActionChains(page.driver).move_to_element(found[0]).click().perform()
    return bool(found)


def _replays(stage: Stage, page: Page) -> None:
    for game in ('hex', 'othello', 'checkers'):
        source = GAMES / f'{game}.recording.jsonl'
        if not source.exists():
            continue
        shutil.copy(source, stage.folder)
        page.open(f'/replay?file={source.name}')
        forth = page.wait(lambda: page.find('[aria-label="one step forward"]')[0], 'buttons')
        for _ in range(26):
            forth.click()
            time.sleep(0.05)
        page.save(PICTURES / f'{game}.png')


def _training(stage: Stage, page: Page) -> None:
    page.resize(WIDE[0], 1050)
    page.open('/train')
    episodes = page.wait(lambda: page.find('input[aria-label="Episodes"]')[0], 'the form')
    episodes.send_keys(Keys.CONTROL, 'a')
    episodes.send_keys('6000', Keys.TAB)
    page.click('Train')
    page.wait(lambda: 'rainbow-gui-1' in page.find('body')[0].text, 'the run')
    found = stage.folder / 'runs' / 'tictactoe' / 'rainbow-gui-1' / 'evaluation'
    table = found / 'evaluations.csv'
    # A picture in the midst of it, once there is something to be seen.
    wait(lambda: table.exists() and len(table.read_text().splitlines()) > 9, 'curves', 200)
    time.sleep(3)
    page.save(PICTURES / 'training.png')
    page.click('Stop')
    page.wait(lambda: 'ended' in page.find('body')[0].text, 'the end')
    _thinking(stage, page)


def _thinking(stage: Stage, page: Page) -> None:
    """Show what the player that was trained just now thinks of its moves."""
    run = next((stage.folder / 'runs').glob('*/*'))
    how = {'game': 'tictactoe', 'episodes': -1, 'start_clock': 0.0, 'seed': 4}
    nodes = [
        stage.start('env_node', '/think', **how),
        stage.start('rainbow_agent', '/think', role='x', detail=str(run), delay_ms=3000),
        stage.start('random_agent', '/think', role='o', delay_ms=3000),
    ]
    page.resize(*WIDE)
    page.open('/match?ns=/think')
    page.wait(lambda: page.find('.gt-piece *'), 'pieces')
    for switch in page.find('.q-toggle'):
        if any(words in switch.text for words in ('agents think', 'legal')):
            switch.click()
    time.sleep(8)
    back = page.find('[aria-label="one step back"]')[0]
    for _ in range(30):
        if len(page.find('.gt-heat')) >= 4:
            break
        back.click()
        time.sleep(0.5)
    page.save(PICTURES / 'thinking.png')
    page.open('/graph?ns=/think')
    page.wait(lambda: page.find('.q-slider'), 'the level')
    page.save(PICTURES / 'graph.png')
    stage.end(*nodes)


SCENES = {
    'tictactoe': _tictactoe,
    'connect_four': _connect_four,
    'chess': _chess,
    'hidden': _krieg,
    'doppelkopf': _doppelkopf,
    'replays': _replays,
    'training': _training,
}


def main() -> None:
    """Read the arguments and do it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('what', choices=['screenshots', *MEASURES])
    parser.add_argument('scenes', nargs='*', help='of screenshots; none: all')
    parser.add_argument('--minutes', type=float, default=10)
    parser.add_argument('--count', type=int, default=50, help='pages of spectators')
    parser.add_argument('--rate', type=float, default=80, help='moves a second, about')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='gdl_gui_') as folder, Stage(Path(folder)) as stage:
        if options.what == 'screenshots':
            screenshots(stage, options.scenes)
        else:
            print(f'load of the machine before: {os.getloadavg()[0]:.1f}')
            MEASURES[options.what](stage, options)


if __name__ == '__main__':
    main()
