"""How quick and how steady the web interface is, measured with a real browser."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from functools import partial
import os
from pathlib import Path
import statistics
import subprocess
import sys
import time
from typing import Any

from gui_stage import URL, WIDE, Page, Stage, table
from selenium.webdriver.common.actions.action_builder import ActionBuilder

# From a question to the next one, if agents answer at once [ms], about.
_LATENCY = 3.0
# Visits with a browser that was never there; each is followed by two more.
_VISITS = 3
# How long spectators look on, and how long a piece is dragged [s].
_WATCHED = 20.0
_WATCHED_RATE = 10.0
# What the server may take in a second to show a match to many [s].
_SHOWING = 0.8
_DRAGGED = 3.0
# Nodes are started ahead after this time, once a table was opened; less processor time than this
# in a second is no work [s].
_RESTING = 8.0
_IDLE = 0.15

# A board like that of Go, with a stone in each row that may go anywhere in it.
_WIDE_BOARD = """
(role black) (role white)
(<= (init (cell 1 ?row black)) (row ?row))
(<= (init (cell ?column ?row white)) (row ?row) (filled ?column))
(init (control black))
(<= (legal black (move 1 ?row ?column ?row)) (true (control black)) (true (cell 1 ?row black))
    (row ?column) (not (true (cell ?column ?row white))) (distinct ?column 1))
(<= (legal black noop) (true (control white)))
(<= (legal white noop) (true (control black)))
(<= (legal white pass) (true (control white)))
(<= (next (cell ?column ?row black)) (does black (move 1 ?row ?column ?row)))
(<= (next (cell ?column ?row ?stone)) (true (cell ?column ?row ?stone))
    (not (leaves ?column ?row)))
(<= (leaves 1 ?row) (does black (move 1 ?row ?column ?row)))
(<= (next (control white)) (true (control black)))
(<= (next (control black)) (true (control white)))
(<= terminal (not (true (cell 1 1 black))))
(goal black 100) (goal white 0)
{rows}
{filled}
"""


def load(stage: Stage, options: Namespace) -> None:
    """Measure how long pages take until they are drawn, and a table until the first move."""
    _time_visits(stage, 'home', '/', lambda page: len(page.find('.gt-tile svg')) >= 8)
    with table(stage, 'chess', {'white': 'random', 'black': 'random'}):
        time.sleep(8)
        path = '/match?ns=/show'
        _time_visits(stage, 'match of chess', path, lambda p: bool(p.find('[data-square]')))
    with Page(*WIDE) as page:
        times, used = [], []
        for _ in range(_VISITS):
            # Nodes are started ahead while a visitor looks for a game.
            _wait_until_idle(stage)
            page.open('/?game=chess')
            page.wait(lambda: page.find('input[aria-label="black"]'), 'players')
            started, before = time.monotonic(), _cpu_of_family(stage.gui.pid)
            page.click('Start')
            page.wait(lambda: page.find('.gt-square.is-from'), 'a move')
            times.append(time.monotonic() - started)
            used.append(_cpu_of_family(stage.gui.pid) - before)
        print(
            f'table of chess to its first move: {statistics.median(times):.2f} s;'
            f' CPU of the server and its nodes {statistics.median(used):.2f} s'
        )


def _time_visits(stage: Stage, name: str, path: str, is_drawn: Callable[[Page], bool]) -> None:
    """Measure a first visit, and two more with the same browser; CPU does not depend on others."""
    first: list[tuple[float, float, float]] = []
    again: list[tuple[float, float, float]] = []
    for _ in range(_VISITS):
        with Page(*WIDE) as page:
            page.driver.execute_cdp_cmd('Performance.enable', {'timeDomain': 'threadTicks'})
            for found in (first, again, again):
                started, server = time.monotonic(), _cpu(stage.gui.pid)
                busy = _task_time(page)
                page.open(path)
                page.wait(partial(is_drawn, page), name)
                seconds, now = time.monotonic() - started, _task_time(page)
                # A page of another site has a process of its own, which counts from 0.
                work = now - busy if now >= busy else now
                found.append((seconds, _cpu(stage.gui.pid) - server, work))
    for words, visits in (('first visit', first), ('again', again)):
        wall, server, work = (statistics.median(one) for one in zip(*visits, strict=True))
        print(f'{name}, {words}: {wall:.2f} s; CPU: server {server:.2f} s, page {work:.2f} s')


def _wait_until_idle(stage: Stage, busy: float = 0.0) -> None:
    """Wait until the server has started nodes ahead; it may be busy for so long in a second."""
    time.sleep(_RESTING)
    before = _cpu_of_family(stage.gui.pid)
    while True:
        time.sleep(1.0)
        now = _cpu_of_family(stage.gui.pid)
        if now - before < _IDLE + busy:
            return
        before = now


def _cpu_of_family(pid: int) -> float:
    """Return the time that a process and those that it has started have computed so far [s]."""
    total = _cpu(pid)
    for path in Path(f'/proc/{pid}/task').glob('*/children'):
        for child in path.read_text().split():
            try:
                total += _cpu_of_family(int(child))
            except OSError:
                continue
    return total


def drag(stage: Stage, options: Namespace) -> None:
    """Measure frames a second while a stone is dragged over a board of 19 x 19."""
    rows = ' '.join(f'(row {n})' for n in range(1, 20))
    filled = ' '.join(f'(filled {n})' for n in range(4, 20, 2))
    path = stage.folder / 'wide.gdl'
    path.write_text(_WIDE_BOARD.format(rows=rows, filled=filled))
    with table(stage, str(path), {'white': 'legal'}), Page(*WIDE) as page:
        page.open('/match?ns=/show&role=black')
        page.wait(lambda: page.find('.gt-player'), 'players')
        page.click('New game')
        page.wait(lambda: page.find('.gt-square.is-from'), 'a stone to drag')
        _wait_until_idle(stage)
        start = page.find('.gt-square.is-from')[0].rect
        x, y = (int(start[a] + start[b] / 2) for a, b in (('x', 'width'), ('y', 'height')))
        # The processor time of the page, which does not depend on what else the machine does.
        page.driver.execute_cdp_cmd('Performance.enable', {'timeDomain': 'threadTicks'})
        before = _task_time(page)
        page.driver.execute_script(_COUNT_FRAMES)
        actions = ActionBuilder(page.driver, duration=16)
        pointer: Any = actions.pointer_action
        pointer.move_to_location(x, y).pointer_down()
        for step in range(int(_DRAGGED * 60)):
            pointer.move_to_location(x + 10 + step * 2 % 400, y + step % 60)
        actions.perform()
        seen = page.driver.execute_script('return window.gtFrames()')
        busy = 1000 * (_task_time(page) - before) / max(1, seen['count'])
        print(
            f'dragging over 19 x 19: {seen["count"] / seen["seconds"]:.1f} frames/s, longest gap'
            f' {seen["longest"]:.0f} ms, {busy:.1f} ms of the page a frame'
        )


def _task_time(page: Page) -> float:
    """Return how long the page has worked so far [s]."""
    found = page.driver.execute_cdp_cmd('Performance.getMetrics', {})['metrics']
    return next(float(one['value']) for one in found if one['name'] == 'TaskDuration')


def spectators(stage: Stage, options: Namespace) -> None:
    """Measure what the server takes while many look on at one match of ten moves a second.

    One of them is a browser; the others only speak as pages do (gui_spectators.py).
    """
    nodes = _run_match(stage, _WATCHED_RATE)
    script = Path(__file__).with_name('gui_spectators.py')
    command = [sys.executable, str(script), URL, '/show', str(options.count - 1)]
    pipe = subprocess.PIPE
    with Page(*WIDE) as page, subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as all:
        page.open('/match?ns=/show')
        page.wait(lambda: page.find('.gt-piece *'), 'pieces')
        assert all.stdout is not None and all.stdin is not None
        if all.stdout.readline().strip() != 'ready':
            raise SystemExit('the spectators could not look on')
        _wait_until_idle(stage, busy=_SHOWING)
        all.stdin.write('count\n')
        all.stdin.flush()
        first, before, started = _tick(page), _cpu(stage.gui.pid), time.monotonic()
        time.sleep(_WATCHED)
        seconds, used = time.monotonic() - started, _cpu(stage.gui.pid) - before
        moves = max(1, _tick(page) - first)
        received, _ = all.communicate()
        sent = int(received)
        # The time of the processor for what was sent does not depend on what else is running.
        each = used / max(1, sent)
        print(
            f'{options.count} spectators at {moves / seconds:.1f} moves/s:'
            f' {100 * used / seconds:.0f} % of a core, {_memory(stage.gui.pid):.0f} MB;'
            f' {sent / (options.count - 1) / seconds:.1f} positions/s for each of them,'
            f' {1000 * each:.2f} ms of the server for each position'
        )
    stage.end(*nodes)


def _tick(page: Page) -> int:
    return int(
        page.driver.execute_script(
            "return document.querySelector('.gt').dataset.tick.split('.')[1]"
        )
    )


def steady(stage: Stage, options: Namespace) -> None:
    """Measure lag and memory while a match makes so many moves a second."""
    minutes, rate = options.minutes, options.rate
    nodes = _run_match(stage, rate)
    with Page(*WIDE) as page:
        page.open('/match?ns=/show')
        page.wait(lambda: page.find('.gt-piece *'), 'pieces')
        _wait_until_idle(stage, busy=_SHOWING)
        page.driver.execute_script(_WATCH)
        print(
            '| minute | moves/s | drawn/s | lag, median | 99 % | worst | server | its CPU | page'
            ' | server, page: CPU a position |'
        )
        print('|---|---|---|---|---|---|---|---|---|---|')
        page.driver.execute_cdp_cmd('Performance.enable', {'timeDomain': 'threadTicks'})
        used, busy = _cpu(stage.gui.pid), _task_time(page)
        for minute in range(int(minutes) + 1):
            time.sleep(60 if minute else 5)
            # What is not used any more does not count.
            page.driver.execute_cdp_cmd('HeapProfiler.collectGarbage', {})
            seen = page.driver.execute_script('return window.gtTake()')
            before, used = used, _cpu(stage.gui.pid)
            idle, busy = busy, _task_time(page)
            drawn = max(1, seen['drawn'])
            seconds, lags = seen['seconds'], sorted(seen['lags']) or [float('nan')]
            late = lags[int(0.99 * (len(lags) - 1))]
            print(
                f'| {minute} | {seen["moves"] / seconds:.1f} | {seen["drawn"] / seconds:.1f}'
                f' | {lags[len(lags) // 2]:.0f} ms | {late:.0f} ms | {lags[-1]:.0f} ms'
                f' | {_memory(stage.gui.pid):.0f} MB | {100 * (used - before) / seconds:.0f} %'
                f' | {seen["heap"] / 1e6:.1f} MB'
                f' | {1000 * (used - before) / drawn:.1f}, {1000 * (busy - idle) / drawn:.1f}'
                ' ms |',
                flush=True,
            )
    stage.end(*nodes)


def _run_match(stage: Stage, rate: float) -> list[Any]:
    """Start a match without end that makes so many moves a second, about."""
    # Agents wait for a random time up to this; asking and answering takes some milliseconds, too.
    delay = 2 * max(0.0, 1000.0 / rate - _LATENCY)
    how = {'game': 'connect_four', 'episodes': -1, 'start_clock': 0.0, 'seed': 1}
    nodes = [stage.start('env_node', '/show', **how)]
    nodes += [
        stage.start('random_agent', '/show', role=role, delay_ms=int(delay))
        for role in ('red', 'yellow')
    ]
    return nodes


# Frames that the browser draws, and the longest time between two of them.
_COUNT_FRAMES = """
let count = 0, longest = 0, last = performance.now(), since = last;
const step = (now) => { count += 1; longest = Math.max(longest, now - last); last = now;
  requestAnimationFrame(step); };
requestAnimationFrame(step);
window.gtFrames = () => ({ count, longest, seconds: (performance.now() - since) / 1000 });
"""

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


MEASURES: dict[str, Callable[[Stage, Namespace], None]] = {
    'load': load,
    'drag': drag,
    'spectators': spectators,
    'steady': steady,
}
