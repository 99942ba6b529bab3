"""List the difficulty levels of a run.

Snapshots are taken during training, and each is evaluated against random players. With N levels,
level i is the snapshot whose reward is closest to the best reward times i / N. An agent plays a
level as `rainbow:RUN@i`, or `rainbow:RUN@i/N`; without, it plays as well as it can.
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
    parser.add_argument('--role', default='', help='of the player (default: the first learned)')
    parser.add_argument(
        '-n', '--number', type=positive_count, default=0, help='of levels (default: of snapshots)'
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
    gdl levels runs/tictactoe/rainbow-selfplay-1         as many as there are snapshots
    gdl levels runs/tictactoe/rainbow-selfplay-1 -n 3    easy, medium, hard
    """,
    configure=configure,
    run=run,
)
