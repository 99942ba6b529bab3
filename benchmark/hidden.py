"""Measure solving and exploitability: games with hidden information or simultaneous moves.

    python benchmark/hidden.py
    python benchmark/hidden.py --playouts 200 --samples 4
    python benchmark/hidden.py --write-doc     and put the tables into doc/benchmarks.md

Times are processor time of one thread, each in a program that has compiled everything before:
what a second run of `gdl solve` takes. NashConv is in units of the game, such as chips.
"""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
import json
import sys
from time import process_time

from doc_parts import write_part
from machine import describe_machine

from gdl_agents.registry import open_agent
from gdl_agents.solving.exploiting.exploitability import measure_exploitability
from gdl_agents.solving.exploiting.reading_agents import read_strategy
from gdl_agents.solving.methods.regret_minimisation import minimise_regret
from gdl_agents.solving.tree.game_tree import build_tree
from gdl_env.cli.game_options import load

_BEGIN = '<!-- hidden: written by benchmark/hidden.py -->'
_END = '<!-- hidden: end -->'
# Game, goals of a unit, and the NashConv to reach.
_GAMES = (
    ('kuhn_poker', 25.0, 1e-3),
    ('leduc_poker', 3.0, 5e-3),
    ('liars_dice', 50.0, 1e-4),
    ('goofspiel', 50.0, 1e-3),
)
_ROUNDS = 3


def main() -> int:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument('--playouts', type=int, default=100, help='of each move of ismcts')
    parser.add_argument('--samples', type=int, default=3, help='of agents that do not tell')
    parser.add_argument('--write-doc', action='store_true', help='write doc/benchmarks.md')
    options = parser.parse_args()
    agents = ('random', 'tactical', f'ismcts:playouts={options.playouts}')
    lines = [
        '| game | information sets | NashConv | by | iterations | tree, CPU s | solving, CPU s |',
        '|---|---:|---:|---|---:|---:|---:|',
    ]
    lines += [_solve(*row) for row in _GAMES]
    lines += ['', '| game | agent | asked | NashConv | CPU s |', '|---|---|---:|---:|---:|']
    lines += [
        _exploit(name, unit, agent, options.samples)
        for name, unit, _ in _GAMES
        for agent in agents
    ]
    text = '\n'.join([*lines, '', f'Measured on {json.dumps(describe_machine())}.'])
    print(text)
    if options.write_doc:
        write_part(text, _BEGIN, _END)
    return 0


def _solve(name: str, unit: float, target: float) -> str:
    """Build and solve a game several times; the best time counts."""
    game = load(name)
    times = []
    # The first round compiles.
    for _ in range(_ROUNDS + 1):
        started = process_time()
        tree = build_tree(game)
        built = process_time()
        found = minimise_regret(tree.form, 'auto', target=target * unit, seconds=60)
        times.append((built - started, process_time() - built))
    tree_time, solve_time = min(times[1:], key=sum)
    return (
        f'| {name} | {tree.information_sets:,} | {found.exploitability.nash_conv / unit:.2g}'
        f' | {found.rule} | {found.iterations:,} | {tree_time:.3f} | {solve_time:.3f} |'
    )


def _exploit(name: str, unit: float, agent: str, samples: int) -> str:
    tree = build_tree(load(name))
    started = process_time()
    read = read_strategy(tree, [open_agent(agent) for _ in tree.own], samples, seed=1)
    found = measure_exploitability(tree.form, read.strategy)
    spent = process_time() - started
    asked = f'{max(read.samples)} times' if max(read.samples) else 'told'
    return f'| {name} | `{agent}` | {asked} | {found.nash_conv / unit:.4f} | {spent:.2f} |'


if __name__ == '__main__':
    sys.exit(main())
