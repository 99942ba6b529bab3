"""The web interface: pictures of its pages, and how quick and how steady it is.

python benchmark/gui.py screenshots            pictures into doc/screenshots
python benchmark/gui.py load                   how long a page takes to be there
python benchmark/gui.py steady --minutes 10    lag and memory while a match runs on
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
import os
from pathlib import Path
import shutil
import statistics
import tempfile
import time

from gui_stage import Page, Stage, wait
from selenium.webdriver.common.keys import Keys

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / 'doc' / 'screenshots'
GAMES = ROOT / 'games'
WIDE = (1280, 800)
PHONE = (390, 844)
# From a question to the next one, if agents answer at once [ms], about.
_LATENCY = 3.0


@contextmanager
def table(stage: Stage, game: str, agents: dict[str, str]) -> Iterator[None]:
    """Run a match in the namespace /show."""
    nodes = [stage.start('env_node', '/show', game=game, play_clock=0.0, start_clock=0.0, seed=4)]
    nodes += [
        stage.start(f'{agent}_agent', '/show', role=role, seed=7) for role, agent in agents.items()
    ]
    try:
        yield
    finally:
        stage.end(*nodes)
        # Until it is known that they are gone, the next match would be taken for theirs.
        time.sleep(4)


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
            page.wait(lambda: page.driver.execute_script(_CHOOSE), 'something to choose')
            time.sleep(0.7)
        page.save(PICTURES / 'doppelkopf.png')


# Whoever is healthy says so; else a card is played, or whatever there is.
_CHOOSE = """const list = [...document.querySelectorAll('.gt-list button')];
const found = list.find((b) => ['reserve healthy', 'noop'].includes(b.innerText))
    || document.querySelector('.gt-card.is-legal') || list[0];
if (found) found.click();
return !!found"""


def _replays(stage: Stage, page: Page) -> None:
    for game in ('hex', 'othello', 'checkers'):
        source = GAMES / f'{game}.recording.jsonl'
        if not source.exists():
            continue
        shutil.copy(source, stage.folder)
        page.open(f'/replay?file={source.name}')
        forth = page.wait(lambda: page.find('[aria-label="one step forth"]')[0], 'buttons')
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
    script = """[...document.querySelectorAll('.q-toggle')]
        .filter((t) => /agents think|legal/.test(t.innerText)).forEach((t) => t.click())"""
    page.driver.execute_script(script)
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


def load(stage: Stage) -> None:
    """Measure how long it takes until the board is drawn, with a fresh browser and a used one."""
    with table(stage, 'chess', {'white': 'random', 'black': 'random'}):
        time.sleep(8)
        first, again = [], []
        for _ in range(3):
            with Page(*WIDE) as page:
                for times in (first, again, again):
                    started = time.monotonic()
                    page.open('/match?ns=/show')
                    page.wait(lambda page=page: page.find('[data-square]'), 'board')
                    times.append(time.monotonic() - started)
        print(
            f'first visit {statistics.median(first):.2f} s, again {statistics.median(again):.2f} s'
        )


def steady(stage: Stage, minutes: float, rate: float) -> None:
    """Measure lag and memory while a match makes so many moves a second."""
    # Agents wait for a random time up to this; asking and answering takes some milliseconds, too.
    delay = 2 * max(0.0, 1000.0 / rate - _LATENCY)
    nodes = [
        stage.start(
            *('env_node', '/show'), game='connect_four', episodes=-1, start_clock=0.0, seed=1
        )
    ]
    nodes += [
        stage.start('random_agent', '/show', role=role, delay_ms=int(delay))
        for role in ('red', 'yellow')
    ]
    with Page(*WIDE) as page:
        page.open('/match?ns=/show')
        page.wait(lambda: page.find('.gt-piece *'), 'pieces')
        page.driver.execute_script(_WATCH)
        print(
            '| minute | moves/s | drawn/s | lag, median | 99 % | worst | server | its CPU | page |'
        )
        print('|---|---|---|---|---|---|---|---|---|')
        used = _cpu(stage.gui.pid)
        for minute in range(int(minutes) + 1):
            time.sleep(60 if minute else 5)
            # What is not used any more does not count.
            page.driver.execute_cdp_cmd('HeapProfiler.collectGarbage', {})
            seen = page.driver.execute_script('return window.gtTake()')
            before, used = used, _cpu(stage.gui.pid)
            seconds, lags = seen['seconds'], sorted(seen['lags']) or [float('nan')]
            late = lags[int(0.99 * (len(lags) - 1))]
            print(
                f'| {minute} | {seen["moves"] / seconds:.1f} | {seen["drawn"] / seconds:.1f}'
                f' | {lags[len(lags) // 2]:.0f} ms | {late:.0f} ms | {lags[-1]:.0f} ms'
                f' | {_memory(stage.gui.pid):.0f} MB | {100 * (used - before) / seconds:.0f} %'
                f' | {seen["heap"] / 1e6:.1f} MB |',
                flush=True,
            )
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


# Lag: from when the server sends a state to when the browser has drawn it.
_WATCH = """
let drawn = 0, lags = [], since = performance.now(), tick = 0, first = 0;
const element = document.querySelector('.gt');
const id = parseInt(element.id.slice(1));
const component = getElement(id);
const show = component.show;
component.show = (state) => {
  show(state); drawn += 1; lags.push(Date.now() - state.sent);
  tick = state.tick; first = first || tick;
};
window.gtTake = () => {
  const taken = { drawn, lags, moves: tick - first, seconds: (performance.now() - since) / 1000,
    heap: performance.memory ? performance.memory.usedJSHeapSize : 0 };
  drawn = 0; lags = []; first = tick; since = performance.now();
  return taken;
};
"""


def _cpu(pid: int) -> float:
    """Return the time that a process has computed so far [s]."""
    fields = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def _memory(pid: int) -> float:
    for line in Path(f'/proc/{pid}/status').read_text().splitlines():
        if line.startswith('VmRSS'):
            return int(line.split()[1]) / 1000
    return float('nan')


def main() -> None:
    """Read the arguments and do it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('what', choices=['screenshots', 'load', 'steady'])
    parser.add_argument('scenes', nargs='*', help='of screenshots; none: all')
    parser.add_argument('--minutes', type=float, default=10)
    parser.add_argument('--rate', type=float, default=40, help='moves a second, about')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='gdl_gui_') as folder, Stage(Path(folder)) as stage:
        if options.what == 'screenshots':
            screenshots(stage, options.scenes)
        elif options.what == 'load':
            load(stage)
        else:
            steady(stage, options.minutes, options.rate)


if __name__ == '__main__':
    main()
