"""Count the move sequences of each length up to DEPTH: a strict test of rules and engines.

The role `random` counts as a player, and each outcome of an experiment as a move. Where several
roles move at once, one joint move is one step. Sequences end at terminal states.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from time import perf_counter
from typing import TYPE_CHECKING

from gdl_env.cli.game_options import add_engine, add_game, load, open_engine_for, positive_count
from gdl_env.cli.verb import Group, Verb

if TYPE_CHECKING:
    from gdl_env.engine.contract import Engine, State


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_game(parser)
    parser.add_argument('depth', metavar='DEPTH', type=positive_count, help='the longest length')
    parser.add_argument(
        '--divide',
        action='store_true',
        help='show how many sequences of length DEPTH begin with each first step',
    )
    add_engine(parser)


def run(options: Namespace) -> int:
    """Print the numbers, each as soon as it is known."""
    from gdl_env.engine.perft import perft

    with open_engine_for(load(options.game), options) as engine:
        if options.divide:
            _divide(engine, options.depth)
            return 0
        print(f'{"depth":>5}  {"sequences":>15}  {"seconds":>9}')
        start = perf_counter()
        stuck: list[State] = []
        numbers = perft(engine, options.depth, on_dead_end=stuck.append)
        for depth, count in enumerate(numbers, start=1):
            print(f'{depth:5}  {count:15}  {perf_counter() - start:9.2f}', flush=True)
        if stuck:
            from gdl_env.engine.dead_ends import report_dead_end

            report_dead_end(engine, 0, options.depth, stuck[0])
    return 0


def _divide(engine: Engine, depth: int) -> None:
    from gdl_env.engine.perft import divide

    total = 0
    for moves, count in divide(engine, depth):
        total += count
        step = ', '.join(f'{role}: {move}' for role, move in moves.items())
        print(f'{count:15}  {step}', flush=True)
    print(f'{total:15}  in all')


VERB = Verb(
    name='perft',
    group=Group.TEST,
    summary='count the move sequences of each length',
    description=__doc__,
    examples="""
    gdl perft tictactoe 4             four numbers: 9, 72, 504, 3024
    gdl perft tictactoe 3 --divide    for each first step
    """,
    configure=configure,
    run=run,
)
