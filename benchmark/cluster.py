"""How fast a match is whose agents are on another machine: by delay, loss and cohorts.

    .venv/bin/python benchmark/cluster.py                       as root; some minutes
    .venv/bin/python benchmark/cluster.py --links 0/0 20/1 --thinking 0 50 --cohorts 1 4
    .venv/bin/python benchmark/cluster.py --game connect_four --agent mcts:playouts=8
    .venv/bin/python benchmark/cluster.py --write-doc           and into doc/scaling.md

The environment and the agents are in two network namespaces; a router of our own between them
delays packets and loses some (`slow_link.py`). One agent plays all roles. By default it takes a
fixed time for each decision and leaves the processor alone meanwhile, as an agent on a machine of
its own does: on few cores, agents that compute here would slow down the environment.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from datetime import date
from itertools import product
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
from time import monotonic
from typing import Any

from doc_parts import write_part
from machine import describe_machine
from slow_link import SlowLink, find_obstacle

BIN = Path(sys.executable).parent
_MARKS = '<!-- cluster -->', '<!-- end of cluster -->'
# Time for nodes to find each other and to compile [s].
_PATIENCE = 300.0
# What is left out at the beginning of a measurement [s].
_WARM = 3.0


@dataclass(frozen=True)
class Cell:
    """One measurement."""

    # Of the agent, for each decision [µs].
    thinking: float
    # One way [ms], and packets that are lost [%].
    delay: float
    loss: float
    cohorts: int


def main() -> int:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--game', default='connect_four')
    parser.add_argument('--agent', default='', help='name[:detail], instead of --thinking')
    parser.add_argument('--thinking', type=float, nargs='+', default=[0, 50, 100], help='[µs]')
    parser.add_argument('--lanes', type=int, default=1024)
    parser.add_argument(
        '--links',
        nargs='+',
        default=['0/0', '20/0', '20/1'],
        help='one way [ms]/lost packets [%%]',
    )
    parser.add_argument('--cohorts', type=int, nargs='+', default=[1, 2, 4])
    parser.add_argument('--seconds', type=float, default=15.0)
    parser.add_argument('--write-doc', action='store_true')
    parser.add_argument('--probe', action='store_true', help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.probe:
        return _probe(options.seconds)
    if obstacle := find_obstacle():
        print(f'cluster: no second machine can be simulated here: {obstacle}', file=sys.stderr)
        return 1
    if options.agent:
        options.thinking = [0]
    found: dict[Cell, dict[str, float]] = {}
    for thinking, (delay, loss), cohorts in product(
        options.thinking, _links(options), options.cohorts
    ):
        cell = Cell(thinking, delay, loss, cohorts)
        found[cell] = measure(options, cell)
        print(json.dumps({**cell.__dict__, **found[cell]}), file=sys.stderr, flush=True)
    table = report(options, found)
    print(table)
    if options.write_doc:
        write_part(table, *_MARKS, name='scaling.md')
    return 0


def measure(options: Any, cell: Cell) -> dict[str, float]:
    """Play over a link, and return rates by name."""
    agent, _, detail = options.agent.partition(':')
    if not agent:
        agent, detail = f'{Path(__file__).with_name("paced_agent.py")}:Paced', f'{cell.thinking}'
    common = ['--ros-args', '-r', '__ns:=/far']
    environment = [
        *(str(BIN / 'env_node'), *common),
        *('-p', f'game:={options.game}', '-p', f'lanes:={options.lanes}'),
        *('-p', f'cohorts:={cell.cohorts}', '-p', 'episodes:=-1', '-p', 'play_clock:=0.0'),
    ]
    player = [
        *(str(BIN / 'agent_node'), *common, '-p', f'agent:={agent}', '-p', 'seed:=1'),
        *('-p', f'roles:=[{",".join(_list_roles(options.game))}]'),
    ]
    if detail:
        player += ['-p', f"detail:='{detail}'"]
    probe = [sys.executable, __file__, '--probe', '--seconds', str(options.seconds)]
    quiet = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL}
    with SlowLink(cell.delay / 1e3, cell.loss / 100) as link:
        running: list[subprocess.Popen[Any]] = []
        try:
            running.append(link.popen(0, environment, **quiet))
            running.append(link.popen(1, player, **quiet))
            asking = link.popen(0, probe, stdout=subprocess.PIPE, text=True)
            running.append(asking)
            out, _ = asking.communicate(timeout=_PATIENCE + 2 * options.seconds)
        finally:
            for process in running:
                _stop(process)
    rates: dict[str, float] = json.loads(out)
    return rates


def report(options: Any, found: dict[Cell, dict[str, float]]) -> str:
    """Return a table: a line for each link, a column for each number of cohorts."""
    machine = describe_machine()
    lines = [
        f'`python {" ".join(["benchmark/cluster.py", *sys.argv[1:]])}`, {date.today():%d %B %Y};'
        f' {machine["cpu"]}, {machine["cores"]} cores, load {machine["load"]}. {options.game},'
        f' {options.lanes:,} lanes; thousands of steps a second, and the share of the best rate'
        ' without delay.',
        '',
        '| agent, a decision [µs] | one way [ms] | lost packets [%] | '
        + ' | '.join(f'{number} cohort{"s" * (number > 1)}' for number in options.cohorts)
        + ' |',
        '|---|---:|---:|' + '---:|' * len(options.cohorts),
    ]
    for thinking in options.thinking:
        own = {cell: rate['steps'] for cell, rate in found.items() if cell.thinking == thinking}
        free = [rate for cell, rate in own.items() if not cell.delay and not cell.loss]
        best = max(free, default=0.0)
        for delay, loss in _links(options):
            rates = [own[Cell(thinking, delay, loss, number)] for number in options.cohorts]
            shown = [
                f'{rate / 1e3:.1f}' + (f' ({rate / best:.0%})' if best else '') for rate in rates
            ]
            name = options.agent or f'{thinking:g}'
            lines.append(f'| {name} | {delay:g} | {loss:g} | {" | ".join(shown)} |')
    return '\n'.join(lines)


def _links(options: Any) -> list[tuple[float, float]]:
    """Return delays and losses. Raises ValueError for what is none."""
    found = []
    for link in options.links:
        delay, _, loss = link.partition('/')
        found.append((float(delay), float(loss or 0)))
    return found


def _probe(seconds: float) -> int:
    """Print how fast the match in this namespace is, from its status."""
    from gdl_msgs.msg import Status
    import rclpy

    from gdl_env.ros.run_node import open_executor
    from gdl_env.ros.transport.qos import status_qos

    rclpy.init()
    node = rclpy.create_node('probe', namespace='/far')
    seen: list[Status] = []
    node.create_subscription(Status, 'status', seen.append, status_qos())
    executor = open_executor(node.context)
    executor.add_node(node)

    def spin(until: float) -> None:
        while monotonic() < until:
            executor.spin_once(timeout_sec=0.1)

    end = monotonic() + _PATIENCE
    while monotonic() < end and not (seen and seen[-1].steps):
        executor.spin_once(timeout_sec=0.1)
    spin(monotonic() + _WARM)
    first = seen[-1]
    spin(monotonic() + seconds)
    last = seen[-1]
    passed = _to_seconds(last.stamp) - _to_seconds(first.stamp)
    strikes = sum(role.strikes for role in last.roles)
    rates = {
        'steps': (last.steps - first.steps) / passed,
        'ticks': (last.tick - first.tick) / passed,
        'strikes': strikes,
    }
    print(json.dumps(rates))
    node.destroy_node()
    rclpy.shutdown()
    return 0


def _list_roles(game: str) -> list[str]:
    from gdl_env.engine.contract import NATURE
    from gdl_env.language.load import open_game

    return [str(role) for role in open_game(game).roles if role != NATURE]


def _to_seconds(stamp: Any) -> float:
    return float(stamp.sec + stamp.nanosec / 1e9)


def _stop(process: subprocess.Popen[Any]) -> None:
    """End a process, gently first."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


if __name__ == '__main__':
    os.environ.setdefault('ROS_DOMAIN_ID', '86')
    os.environ['AMENT_PREFIX_PATH'] = str(BIN.parent)
    sys.exit(main())
