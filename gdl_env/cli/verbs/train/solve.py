"""Solve a game: find strategies that no opponent can exploit, or the exact values of an open game.

Games that hide something, or in which players decide at the same time, are solved by regret
minimisation on the whole game tree; `--method sampled` learns from samples where the tree is too
large. Open games in which players take turns get exact values. The result is a run that the agent
`solved:RUN` plays. NashConv is what all players together could gain by best responses, in goals
(or in `--unit` goals): 0 in an equilibrium. For two players whose goals always have the same sum,
it becomes as small as you want; other games have no guarantee, and the result says so.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from itertools import islice
import json
from pathlib import Path
from typing import TYPE_CHECKING

from gdl_env.cli.game_options import (
    add_game,
    count_from_zero,
    load,
    positive_count,
    positive_number,
)
from gdl_env.cli.tables import print_table
from gdl_env.cli.verb import Group, Verb

if TYPE_CHECKING:
    from gdl_agents.solving.playing.solution_folder import SolutionSummary
    from gdl_agents.solving.solve import Solved

_METHODS = ('auto', 'values', 'cfr+', 'discounted', 'predictive', 'sampled')
# Information sets of which strategies are written for people.
_MOST_ROWS = 200_000


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_game(parser)
    parser.add_argument(
        '--method',
        choices=_METHODS,
        default='auto',
        help='values: of open games; cfr+, discounted, predictive: rules of regret minimisation'
        ' on the whole tree; sampled: external sampling (default: what fits the game)',
    )
    parser.add_argument(
        '--target',
        type=positive_number,
        default=1e-3,
        metavar='X',
        help='NashConv that is good enough (default: 0.001)',
    )
    add_unit(parser)
    parser.add_argument(
        '--seconds',
        type=positive_number,
        default=60.0,
        metavar='S',
        help='the longest time to build a tree, and to improve strategies (default: 60)',
    )
    add_nodes(parser, 10_000_000)
    parser.add_argument(
        '--turn',
        choices=('rotate', 'priority', 'random'),
        default='rotate',
        help='whose turn it is where several roles could move (default: rotate)',
    )
    parser.add_argument(
        '--seed', type=count_from_zero, default=0, metavar='N', help='for samples (default: 0)'
    )
    parser.add_argument('--name', default='', help='the name of the run (default: solved-1, …)')
    parser.add_argument(
        '--root',
        type=Path,
        default=Path('runs'),
        metavar='FOLDER',
        help='where runs are kept (default: runs)',
    )
    parser.add_argument(
        '--rows',
        type=count_from_zero,
        default=12,
        metavar='N',
        help='information sets to print (default: 12)',
    )
    parser.add_argument('--json', action='store_true', help='print one JSON object')


def add_unit(parser: ArgumentParser) -> None:
    """Add the option --unit."""
    parser.add_argument(
        '--unit',
        type=positive_number,
        default=1.0,
        metavar='GOALS',
        help='measure NashConv in units of this many goals, such as those of a chip (default: 1)',
    )


def add_nodes(parser: ArgumentParser, most: int) -> None:
    """Add the option --nodes."""
    parser.add_argument(
        '--nodes',
        type=positive_count,
        default=most,
        metavar='N',
        help=f'histories, or states, at most (default: {most})',
    )


def run(options: Namespace) -> int:
    """Solve the game, keep the result, print it."""
    from gdl_agents.solving.playing.solution_folder import SolutionFolder
    from gdl_agents.solving.playing.strategy_table import write_csv
    from gdl_agents.solving.solve import SolvingOrder, solve

    game = load(options.game)
    order = SolvingOrder(
        options.method,
        options.target * options.unit,
        options.seconds,
        options.nodes,
        options.turn,
        options.seed,
    )
    solved = solve(game, order)
    folder = SolutionFolder.create(game, options.root, options.name)
    rows = list(islice(solved.rows, _MOST_ROWS))
    if rows:
        write_csv(folder.table_file, rows)
    folder.write(solved.summary, solved.arrays)
    if options.json:
        print(json.dumps({**asdict(solved.summary), 'run': str(folder.path)}, indent=2))
        return 0
    _print_summary(solved.summary, options.unit)
    print(f'run         {folder.path}')
    _print_moves(solved)
    if rows and options.rows:
        print()
        print_table(
            ('role', 'sees', 'did', 'plays'),
            (
                (r.role, r.seen, r.did or '-', '  '.join(f'{m} {p:.3f}' for m, p in r.moves))
                for r in rows[: options.rows]
            ),
        )
        if len(rows) > options.rows:
            print(f'… {len(rows) - options.rows:,} more in {folder.table_file}')
    return 0


def _print_summary(summary: SolutionSummary, unit: float) -> None:
    print(f'game        {summary.game}')
    sizes = ', '.join(f'{size:,} {name}' for name, size in summary.sizes.items())
    print(f'size        {sizes}')
    spent = ', '.join(f'{name} {seconds:.3f} s' for name, seconds in summary.seconds.items())
    rounds = f', {summary.iterations:,} iterations' if summary.iterations else ''
    print(f'method      {summary.method}{rounds}; processor time: {spent}')
    if summary.values is not None:
        pairs = zip(summary.roles, summary.values, strict=True)
        print(f'mean goals  {", ".join(f"{role} {value:.3f}" for role, value in pairs)}')
    else:
        print('mean goals  not known')
    if summary.nash_conv is None:
        print('NashConv    not measured: see gdl exploit')
    else:
        suffix = '' if unit == 1 else f' (in units of {unit:g} goals)'
        print(f'NashConv    {summary.nash_conv / unit:.3g}{suffix}')
    if not summary.is_guaranteed:
        print(
            'guarantee   none: an equilibrium is certain for two players against each other only'
        )


def _print_moves(solved: Solved) -> None:
    if solved.first_moves:
        print()
        print_table(
            ('role', 'first move', 'goal#'),
            (
                (role, move, f'{low:g}' if low == high else f'{low:g} to {high:g}')
                for role, move, low, high in solved.first_moves
            ),
        )


VERB = Verb(
    name='solve',
    group=Group.TRAIN,
    summary='find an equilibrium, or the exact values of an open game',
    description=__doc__,
    examples="""
    gdl solve kuhn_poker --unit 25            NashConv in chips
    gdl solve 'connect_four(columns=5,rows=4)'   exact values
    gdl solve leduc_poker --method sampled --seconds 30
    """,
    configure=configure,
    run=run,
)
