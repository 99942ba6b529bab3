"""How much four spammers slow down two honest agents.

    .venv/bin/python benchmark/spam.py [--rate 10000] [--seconds 4] [--rounds 3] [--lanes 1]

Each spammer publishes illegal answers, RATE a second, for as long as it is measured: to the topics
of the answers of a match (spam), or to topics that another node listens to, which does nothing
(same load). So processors are as busy in both, and what is left is what the match makes of spam.
All are measured in turns; the rates are medians.
"""

from __future__ import annotations

import argparse
from pathlib import Path
import statistics
import sys
import tempfile
import time

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / 'test' / 'ros'))

from graph import Graph, open_graph  # noqa: E402
from machine import describe_machine  # noqa: E402

SPAMMERS = 4


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--rate', type=float, default=10_000.0)
    parser.add_argument('--seconds', type=float, default=4.0)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--lanes', type=int, default=1)
    options = parser.parse_args()
    found: dict[str, list[float]] = {'quiet': [], 'same load': [], 'spam': []}
    with tempfile.TemporaryDirectory() as folder, open_graph(Path(folder)) as graph:
        prepare(graph, options.lanes)
        for _ in range(options.rounds):
            for kind, rates in found.items():
                rates.append(measure(graph, kind, options.rate, options.seconds))
                print(f'{kind:10} {rates[-1]:8.0f} ticks/s', file=sys.stderr)
        status = graph.statuses[-1]
        strikes = sum(role.strikes for role in status.roles)
        dropped = sum(role.foreign_answers + role.late_answers for role in status.roles)
    medians = {kind: statistics.median(values) for kind, values in found.items()}
    print(describe_machine())
    print(f'{SPAMMERS} spammers, {options.rate:.0f} messages/s each, {options.lanes} lane(s)')
    for kind, rate in medians.items():
        print(f'{kind:10} {rate:8.0f} ticks/s')
    print(f'spam / same load: {medians["spam"] / medians["same load"]:.3f}')
    print(f'{dropped} answers dropped, {strikes} strikes')


def prepare(graph: Graph, lanes: int) -> None:
    """Start a match without end, and the node that does nothing."""
    graph.environment(lanes=lanes, episodes=-1, play_clock=10.0, text='off')
    graph.start('random_agent', node='honest_x', role='x')
    graph.start('random_agent', node='honest_o', role='o')
    graph.start('misbehaving', 'sink', 'sink_x/action', 'sink_o/action', node='sink')
    graph.status(lambda status: status.tick > 100)


def measure(graph: Graph, kind: str, rate: float, seconds: float) -> float:
    """Return the ticks a second of the match."""
    spammers = []
    if kind != 'quiet':
        prefix = '' if kind == 'spam' else 'sink_'
        topics = [f'{prefix}x/action', f'{prefix}o/action']
        spammers = [
            graph.start('misbehaving', 'flood', str(rate), '1000', *topics, node=f'spammer_{i}')
            for i in range(SPAMMERS)
        ]
        # They start, are found and get going.
        time.sleep(3.0)
    first = wait_for_next(graph)
    time.sleep(seconds)
    last = wait_for_next(graph)
    for spammer in spammers:
        spammer.kill()
    time.sleep(0.5)
    return (last[1] - first[1]) / (last[0] - first[0])


def wait_for_next(graph: Graph) -> tuple[float, int]:
    """Return the time and tick of the next status."""
    number = len(graph.statuses)
    graph.wait(lambda: len(graph.statuses) > number)
    status = graph.statuses[-1]
    return status.stamp.sec + 1e-9 * status.stamp.nanosec, status.tick


if __name__ == '__main__':
    main()
