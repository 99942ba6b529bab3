"""List the difficulty levels of a run.

Training saves snapshots and evaluates each against random players. With N levels, level i is the
snapshot whose reward is closest to i / N of the best reward. Write `rainbow:RUN@i` or
`rainbow:RUN@i/N` for an agent that plays at a level; without a level it plays at full strength.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from gdl_env.cli.game_options import positive_count
from gdl_env.cli.tables import print_table
from gdl_env.cli.verb import Group, Verb
from gdl_env.requirements import PYTORCH, require


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument('run_folder', metavar='RUN', help='the folder of a run')
    parser.add_argument(
        '--role',
        default='',
        metavar='ROLE',
        help='the role that the player learned (default: the first one)',
    )
    parser.add_argument(
        '-n',
        '--number',
        type=positive_count,
        default=0,
        metavar='N',
        help='number of levels (default: one per snapshot)',
    )


def run(options: Namespace) -> int:
    """Print the levels."""
    require('levels', PYTORCH)
    from gdl_agents.learning.training.levels import list_levels, list_snapshots
    from gdl_agents.learning.training.run_folder import RunFolder

    folder = RunFolder.open(options.run_folder)
    levels = list_levels(list_snapshots(folder, options.role), options.number)
    print_table(
        ('level#', 'wanted reward#', 'reward#', 'episodes#', 'checkpoint'),
        (
            (
                level.number,
                f'{level.target:.2f}',
                f'{level.snapshot.about.reward:.2f}',
                level.snapshot.about.episodes,
                level.snapshot.path,
            )
            for level in levels
        ),
    )
    return 0


VERB = Verb(
    name='levels',
    group=Group.TRAIN,
    summary='list the difficulty levels of a trained player',
    description=__doc__,
    examples="""
    gdl levels runs/tictactoe/rainbow-selfplay-1         one level per snapshot
    gdl levels runs/tictactoe/rainbow-selfplay-1 -n 3    easy, medium, hard
    """,
    configure=configure,
    run=run,
)
