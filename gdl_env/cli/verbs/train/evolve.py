"""Evolve an evaluation function for a game.

Variants of the function play against each other and against random players; the better ones are
kept and varied again. The result is a file of weights for the agent `evolution`.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from gdl_env.cli.game_options import GAME_HELP, load, positive_count
from gdl_env.cli.verb import Group, Verb

if TYPE_CHECKING:
    from gdl_agents.search.alphabeta.evolving import Generation


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument('game', metavar='GAME', help=GAME_HELP)
    parser.add_argument(
        '-o',
        '--output',
        type=Path,
        metavar='FILE',
        help='the file to write (default: runs/<game>/evolution.json)',
    )
    parser.add_argument(
        '--generations',
        type=positive_count,
        default=40,
        metavar='N',
        help='rounds of selection (default: 40)',
    )
    parser.add_argument(
        '--population',
        type=positive_count,
        default=24,
        metavar='N',
        help='variants per round (default: 24)',
    )
    parser.add_argument(
        '--seed',
        type=int,
        default=0,
        metavar='NUMBER',
        help='the same number gives the same result (default: 0)',
    )


def run(options: Namespace) -> int:
    """Evolve; print how generations fare."""
    from gdl_agents.search.alphabeta.evolving import Evolution, EvolutionSettings
    from gdl_env.language.families.designation import Designation

    game = load(options.game)
    settings = EvolutionSettings(options.generations, options.population, seed=options.seed)
    evolution = Evolution(game, settings)

    def watch(generation: Generation) -> None:
        print(
            f'generation {generation.number}: mean {generation.mean:.1f},'
            f' best {generation.best:.1f}, against random players {generation.strength:.1f}',
            flush=True,
        )

    evolution.run(watch)
    folder = Path('runs') / Designation.read(game.name).file_name
    path = options.output or folder / 'evolution.json'
    evolution.save(path)
    print(f'{path}: play it as evolution:{path}')
    return 0


VERB = Verb(
    name='evolve',
    group=Group.TRAIN,
    summary='evolve an evaluation function for a game',
    description=__doc__,
    examples="""
    gdl evolve tictactoe
    gdl evolve connect_four --generations 100 -o runs/connect_four.json
    """,
    configure=configure,
    run=run,
)
