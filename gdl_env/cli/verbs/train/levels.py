"""List the difficulty levels of a run.

Levels are evenly spaced in Elo, from random play to the strongest player of the run. A level
is a snapshot with a temperature (it also plays moves that are nearly as good) and a share of
random moves; a round robin at the end of training, or with --calibrate, measures their strength.
The table shows Elo above random play, the reward against random players, the share of points
against the next level, and the composition of each level.

--by reward lists the levels of Kusmenko et al. (2022): level i of N is the snapshot whose reward
against random players is closest to i / N of the best.

Write `rainbow:RUN@i` or `rainbow:RUN@i/N` for an agent that plays at a level (`@reward:i/N` by
reward); without a level it plays at full strength.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from dataclasses import replace
from itertools import pairwise
import sys
from typing import TYPE_CHECKING

from gdl_env.cli.game_options import load, positive_count
from gdl_env.cli.pool_options import add_workers, enter_pool
from gdl_env.cli.tables import print_table
from gdl_env.cli.verb import Group, UsageError, Verb
from gdl_env.requirements import PYTORCH, require

if TYPE_CHECKING:
    from gdl_agents.learning.levels.ladder import Ladder
    from gdl_agents.learning.training.run_folder import RunFolder


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
        help='number of levels (default: 10, fewer if that many cannot be distinguished)',
    )
    parser.add_argument(
        '--by',
        choices=('elo', 'reward'),
        default='elo',
        help='what levels are evenly spaced in (default: elo)',
    )
    parser.add_argument(
        '--calibrate', action='store_true', help='play the round robin again, and keep its result'
    )
    add_workers(parser, 'a round robin')
    parser.add_argument(
        '--trust',
        action='store_true',
        help='run code that the config.yaml of the run names, for a round robin',
    )


def run(options: Namespace) -> int:
    """Print the levels."""
    require('levels', PYTORCH)
    from gdl_agents.learning.training.run_folder import RunFolder

    folder = RunFolder.open(options.run_folder)
    if options.by == 'reward':
        if options.calibrate or options.trust or options.actors:
            raise UsageError('--calibrate, --trust and --actors are about levels by Elo')
        _print_by_reward(folder, options)
        return 0
    with ExitStack() as stack:
        ladder = _open_ladder(folder, options, stack)
    _print_by_elo(folder, ladder, options)
    return 0


def _open_ladder(folder: RunFolder, options: Namespace, stack: ExitStack) -> Ladder:
    """Return the ladder of a run; made now if there is none.

    Raises TrustError if it is made by code that the run names, and that is not trusted.
    """
    from gdl_agents.learning.levels.calibration import calibrate_levels
    from gdl_agents.learning.levels.ladder import read_ladder
    from gdl_agents.learning.training.config import TrainingConfig

    ladder = None if options.calibrate else read_ladder(folder)
    if ladder is not None:
        if options.actors or options.on or options.ray_address:
            raise UsageError('the levels are known: workers are for --calibrate')
        return ladder
    pool = enter_pool(options, options.actors, stack)
    config = folder.trusted_config(is_trusted=options.trust)
    print('Players of the run meet each other ...', file=sys.stderr, flush=True)
    levels = config.levels or TrainingConfig.levels
    # However long the training took.
    config = replace(config, levels=levels, seconds=0)
    return calibrate_levels(folder, load(config.game), config, pool)


def _print_by_elo(folder: RunFolder, ladder: Ladder, options: Namespace) -> None:
    from gdl_agents.learning.levels.ladder import list_run_levels

    levels = list_run_levels(folder, options.role, options.number)
    players = ladder.choose(options.number)
    shares = [f'{ladder.share_against(one, two):.0%}' for one, two in pairwise(players)]
    print_table(
        ('level#', 'Elo#', 'wanted#', 'reward#', 'against next#', 'made of'),
        (
            (
                level.number,
                f'{level.elo:.0f}',
                f'{level.target:.0f}',
                f'{level.snapshot.about.reward:.2f}',
                share,
                level.made_of,
            )
            for level, share in zip(levels, [*shares, '-'], strict=True)
        ),
    )


def _print_by_reward(folder: RunFolder, options: Namespace) -> None:
    from gdl_agents.learning.levels.reward_levels import list_levels, list_snapshots

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


VERB = Verb(
    name='levels',
    group=Group.TRAIN,
    summary='list the difficulty levels of a trained player',
    description=__doc__,
    examples="""
    gdl levels runs/tictactoe/rainbow-selfplay-1         ten levels
    gdl levels runs/tictactoe/rainbow-selfplay-1 -n 3    easy, medium, hard
    gdl levels runs/tictactoe/rainbow-selfplay-1 --by reward    one level per snapshot
    """,
    configure=configure,
    run=run,
)
