"""How fast a match is over ROS 2, beside bare rclpy and beside the same environment in process.

    ./gdl launch is not needed; run it with the environment's Python:
    .venv/bin/python benchmark/ros.py                 all lanes, a table
    .venv/bin/python benchmark/ros.py --write-doc     and into doc/benchmarks.md, with a plot
    .venv/bin/python benchmark/ros.py --lanes 1 64 --seconds 2 --rounds 1

Everything is measured in turns, several times over, in separate processes on one ROS domain of its
own; the tables show medians.
"""

from __future__ import annotations

import argparse
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
import json
import os
from pathlib import Path
import signal
import statistics
import subprocess
import sys
from time import perf_counter
from typing import TYPE_CHECKING

from machine import describe_machine
import numpy as np

if TYPE_CHECKING:
    from builtin_interfaces.msg import Time

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
TICKS_A_SECOND = os.sysconf('SC_CLK_TCK')


@dataclass
class Row:
    """Measurements with one number of lanes."""

    lanes: int
    # Of messages [bytes].
    sizes: dict[str, int]
    ping: list[float] = field(default_factory=list)
    graph: list[float] = field(default_factory=list)
    inside: list[float] = field(default_factory=list)
    # CPU seconds a second of environment and of both agents.
    cpu_env: list[float] = field(default_factory=list)
    cpu_agents: list[float] = field(default_factory=list)
    ticks: list[float] = field(default_factory=list)


def main() -> None:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--game', default='tictactoe')
    parser.add_argument('--lanes', type=int, nargs='+', default=[1, 64, 1024, 8192])
    parser.add_argument('--seconds', type=float, default=5.0)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--write-doc', action='store_true')
    options = parser.parse_args()
    os.environ.setdefault('ROS_DOMAIN_ID', '87')
    os.environ['AMENT_PREFIX_PATH'] = str(BIN.parent)
    rows = {lanes: Row(lanes, message_sizes(options.game, lanes)) for lanes in options.lanes}
    for _ in range(options.rounds):
        for lanes, row in rows.items():
            row.inside.append(measure_inside(options.game, lanes, options.seconds))
            row.ping.append(measure_ping(options.game, lanes, options.seconds))
            measure_graph(options.game, row, options.seconds)
            print(json.dumps(row.__dict__), file=sys.stderr)
        if options.write_doc:
            # What is measured stays, though a run may be stopped.
            write_doc(list(rows.values()), options)
    print(report(options, list(rows.values())))


# ---- the three ways


def measure_inside(game: str, lanes: int, seconds: float) -> float:
    """Return steps a second of the environment and two random agents in one process."""
    code = (
        'import sys; sys.path.insert(0, sys.argv[1]); import ros;'
        'print(ros.play_inside(sys.argv[2], int(sys.argv[3]), float(sys.argv[4])))'
    )
    arguments = [sys.executable, '-c', code, str(Path(__file__).parent)]
    done = subprocess.run(
        [*arguments, game, str(lanes), str(seconds)], capture_output=True, text=True, check=True
    )
    return float(done.stdout.split()[-1])


def play_inside(game: str, lanes: int, seconds: float) -> float:
    """Play for some seconds and return the steps a second."""
    from gdl_agents.registry import open_agent
    from gdl_env.environment.environment import Environment
    from gdl_env.environment.options import Options
    from gdl_env.language.load import open_game

    environment = Environment.open(open_game(game), Options(lanes=lanes))
    info = environment.info()
    agents = {}
    for role in environment.roles:
        agents[role] = open_agent('random')
        agents[role].begin(info, (role,), 1)

    def play(until: float) -> None:
        while perf_counter() < until:
            questions = environment.questions(only_decisions=True)
            environment.step({q.role: agents[q.role].choose(q) for q in questions})

    play(perf_counter() + 1.0)
    start, before = perf_counter(), environment.tallies.steps
    play(start + seconds)
    return (environment.tallies.steps - before) / (perf_counter() - start)


def measure_ping(game: str, lanes: int, seconds: float) -> float:
    """Return round trips a second of two bare nodes."""
    program = str(Path(__file__).parent / 'ros_ping.py')
    common = [game, str(lanes), str(seconds)]
    with running([sys.executable, program, 'return', *common]):
        done = subprocess.run(
            [sys.executable, program, 'serve', *common],
            capture_output=True,
            text=True,
            check=True,
            timeout=60 + 3 * seconds,
        )
    return float(done.stdout.split()[-1])


def measure_graph(game: str, row: Row, seconds: float) -> None:
    """Add steps a second of a real match to a row: an environment and two random agents."""
    from gdl_msgs.msg import Status
    import rclpy
    from rclpy.node import Node

    from gdl_env.ros.run_node import open_executor
    from gdl_env.ros.transport.qos import status_qos

    parameters = ['-p', f'game:={game}', '-p', f'lanes:={row.lanes}', '-p', 'episodes:=-1']
    arguments = ['--ros-args', '-r', '__ns:=/bench', *parameters]
    with running([str(BIN / 'env_node'), *arguments]) as environment:
        roles = list_roles(game)
        agents = [
            subprocess.Popen(
                [
                    str(BIN / 'random_agent'),
                    '--ros-args',
                    *('-r', '__ns:=/bench'),
                    *('-p', f'role:={role}'),
                    *('-r', f'__node:={role}_random'),
                ],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for role in roles
        ]
        seen: list[Status] = []
        rclpy.init()
        node = Node('bench', namespace='/bench')
        node.create_subscription(Status, 'status', seen.append, status_qos())
        executor = open_executor(node.context)
        executor.add_node(node)
        try:
            spin(executor, lambda: bool(seen) and seen[-1].steps > 0, 120)
            spin(executor, lambda: False, 1.5)
            first, pids = seen[-1], [environment.pid, *(agent.pid for agent in agents)]
            before, start = [cpu_time(pid) for pid in pids], perf_counter()
            spin(executor, lambda: False, seconds)
            last, after, end = seen[-1], [cpu_time(pid) for pid in pids], perf_counter()
        finally:
            executor.shutdown()
            node.destroy_node()
            rclpy.try_shutdown()
            for agent in agents:
                stop(agent)
    passed = to_seconds(last.stamp) - to_seconds(first.stamp)
    row.graph.append((last.steps - first.steps) / passed)
    row.ticks.append((last.tick - first.tick) / passed)
    used = [(b - a) / (end - start) for a, b in zip(before, after, strict=True)]
    row.cpu_env.append(used[0])
    row.cpu_agents.append(sum(used[1:]))


# ---- parts


@contextmanager
def running(command: list[str]):  # type: ignore[no-untyped-def]
    """Run a process as long as the block lasts."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process, gently first."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def spin(executor, until, seconds: float) -> None:  # type: ignore[no-untyped-def]
    """Let the executor work until something is true, for some seconds at most."""
    end = perf_counter() + seconds
    while perf_counter() < end and not until():
        executor.spin_once(timeout_sec=0.05)
    if seconds >= 100 and not until():
        raise SystemExit('the match did not begin')


def cpu_time(pid: int) -> float:
    """Return the processor time of a process so far [s]."""
    fields = Path(f'/proc/{pid}/stat').read_text(encoding='ascii').rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND


def to_seconds(stamp: Time) -> float:
    """Return a time message in seconds."""
    return float(stamp.sec + stamp.nanosec / 1e9)


def list_roles(game: str) -> list[str]:
    """Return the roles agents play."""
    from gdl_env.language.load import open_game

    names = (str(role) for role in open_game(game).roles)
    return [name for name in names if name != 'random']


def message_sizes(game: str, lanes: int) -> dict[str, int]:
    """Return the bytes of the messages that travel."""
    from rclpy.serialization import serialize_message
    from ros_ping import sample_messages

    state, action = sample_messages(game, lanes)
    return {'state': len(serialize_message(state)), 'action': len(serialize_message(action))}


# ---- telling


def report(options: argparse.Namespace, rows: list[Row]) -> str:
    """Return the tables as Markdown."""
    median = statistics.median
    machine = describe_machine()
    lines = [
        f'**{options.game}**, {date.today()}, medians of {len(rows[-1].graph)} rounds of'
        f' {options.seconds:g} s; {machine["cpu"]}, {machine["cores"]} cores, load'
        f' {machine["load"]} at the end.',
        '',
        '| lanes | steps/s over ROS | ticks/s | bare ping-pong, round trips/s'
        ' | ticks / round trips | steps/s in process | over ROS / in process |',
        '| ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ]
    for row in rows:
        graph, ping, inside = median(row.graph), median(row.ping), median(row.inside)
        ticks = median(row.ticks)
        lines.append(
            f'| {row.lanes:,} | {graph:,.0f} | {ticks:,.0f} | {ping:,.0f} | {ticks / ping:.0%}'
            f' | {inside:,.0f} | {graph / inside:.0%} |'
        )
    lines += [
        '',
        '| lanes | state [bytes] | action [bytes] | messages/s | MB/s | CPU of the environment'
        ' | CPU of both agents | µs of CPU a game step |',
        '| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ]
    for row in rows:
        ticks = median(row.ticks)
        # A state a tick, and an answer; random agents do not listen to anything else.
        size = row.sizes['state'] + row.sizes['action']
        cpu = median(row.cpu_env) + median(row.cpu_agents)
        lines.append(
            f'| {row.lanes:,} | {row.sizes["state"]:,} | {row.sizes["action"]:,}'
            f' | {ticks * 2:,.0f} | {ticks * size / 1e6:.2f}'
            f' | {median(row.cpu_env):.0%} | {median(row.cpu_agents):.0%}'
            f' | {1e6 * cpu / median(row.graph):.2f} |'
        )
    one = next((row for row in rows if row.lanes == 1), None)
    many = next((row for row in rows if row.lanes == 1024), None)
    if one and many:
        ratio = median(many.graph) / median(one.graph)
        lines += ['', f'1,024 lanes play {ratio:,.0f} times as many steps as one.']
    return '\n'.join(lines)


def write_doc(rows: list[Row], options: argparse.Namespace) -> None:
    """Write tables, numbers and a plot into doc/."""
    text = report(options, rows)
    page = ROOT / 'doc' / 'benchmarks.md'
    begin, end = '<!-- ros: written by benchmark/ros.py -->', '<!-- ros: end -->'
    content = page.read_text(encoding='utf-8')
    head, _, rest = content.partition(begin)
    _, _, tail = rest.partition(end)
    page.write_text(f'{head}{begin}\n\n{text}\n\n{end}{tail}', encoding='utf-8')
    folder = ROOT / 'doc' / 'benchmarks'
    numbers = {'options': vars(options), 'rows': [row.__dict__ for row in rows]}
    (folder / 'ros.json').write_text(json.dumps(numbers, indent=1) + '\n', encoding='utf-8')
    draw(rows, folder / 'ros.png')


def draw(rows: list[Row], path: Path) -> None:
    """Draw steps a second over the number of lanes."""
    import matplotlib

    matplotlib.use('Agg')
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.2), dpi=140)
    lanes = [row.lanes for row in rows]
    for name, key, marker in (
        ('in process', 'inside', 's'),
        ('over ROS 2, three processes', 'graph', 'o'),
    ):
        axes.plot(lanes, [np.median(getattr(row, key)) for row in rows], marker=marker, label=name)
    axes.set(xscale='log', yscale='log', xlabel='lanes', ylabel='game steps a second')
    axes.set_xticks(lanes, [f'{n:,}' for n in lanes])
    axes.minorticks_off()
    axes.grid(visible=True, alpha=0.3)
    axes.legend()
    axes.set_title('Two random agents, tic-tac-toe')
    figure.tight_layout()
    figure.savefig(path)


if __name__ == '__main__':
    main()
