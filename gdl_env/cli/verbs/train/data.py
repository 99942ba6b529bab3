"""Make a data set of positions and games for learning.

Four ways: `thorough` lists every state of a small game; `randomised` reaches random states, and
plays several random games to their end from each; `battle` lets a random player meet given
opponents; `imitation` lets given players play, and tries random moves beside theirs now and then.
A data set has the states, what players see of them, legal and played actions, how the games ended,
and the sequences of actions. The same seed gives the same files. A command that was interrupted
continues when it is typed again.
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl_env.cli.game_options import (
    add_game,
    add_mapping,
    count_from_zero,
    load,
    positive_count,
)
from gdl_env.cli.progress import counting
from gdl_env.cli.verb import Group, UsageError, Verb

if TYPE_CHECKING:
    from gdl_agents.data.job import DataJob
    from gdl_env.language.game import Game

_HOWS = ('thorough', 'randomised', 'battle', 'imitation')
_FORMATS = {'npz': ('npz',), 'parquet': ('parquet',), 'both': ('npz', 'parquet')}
# What some ways do without an option.
_ENDINGS = {'randomised': 10, 'battle': 4, 'imitation': 4}
_EXTRA = 0.1


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_game(parser)
    parser.add_argument(
        'agents',
        metavar='AGENT',
        nargs='*',
        help='battle: the opponents; imitation: the player to imitate, then its opponents (none:'
        ' it plays itself). name[:detail] or file.py:Class[:detail]; see gdl agents',
    )
    parser.add_argument('--how', choices=_HOWS, required=True, help='the way to make the data')
    parser.add_argument(
        '--out',
        type=Path,
        metavar='FOLDER',
        help='where to write (default: datasets/GAME/WAY)',
    )
    parser.add_argument(
        '-n',
        '--number',
        type=positive_count,
        metavar='X',
        help='random states, or games of players (default: 1000)',
    )
    parser.add_argument(
        '--endings',
        type=positive_count,
        metavar='Y',
        help='final states that are reached from each (default: randomised 10, others 4)',
    )
    parser.add_argument(
        '--wins',
        type=count_from_zero,
        metavar='Z',
        help='battle, imitation: try more endings, up to ten times as many, until the learning'
        ' player has won this often (default: 0)',
    )
    parser.add_argument(
        '--extra',
        type=_probability,
        metavar='W',
        help=f'imitation: how likely a random move is tried beside each move (default: {_EXTRA})',
    )
    parser.add_argument(
        '--role',
        metavar='ROLE',
        help='battle, imitation: the role of the learning player (default: every role in turn)',
    )
    parser.add_argument(
        '--sequences',
        action='store_true',
        default=None,
        help='thorough: list all games, too',
    )
    parser.add_argument(
        '--nodes',
        type=positive_count,
        metavar='N',
        help='thorough: states, or games, at most (default: 5000000)',
    )
    parser.add_argument(
        '--format',
        choices=tuple(_FORMATS),
        default='npz',
        help='of the files; parquet needs the extra `data` (default: npz)',
    )
    parser.add_argument(
        '--lanes',
        type=positive_count,
        metavar='N',
        help='games played at the same time (default: 1024, and 8 with players that think for a'
        ' given time)',
    )
    parser.add_argument(
        '--shard',
        type=positive_count,
        metavar='N',
        help='random states, games or (thorough) rows in a file, and the most that is lost if the'
        ' program is killed (default: 8192, or the lanes with players that think for a given'
        ' time; thorough: 250000)',
    )
    parser.add_argument(
        '--max-steps',
        type=positive_count,
        metavar='STEPS',
        help='cut off a game that has not ended by then (default: 1000)',
    )
    parser.add_argument('--json', action='store_true', help='print one JSON object')
    add_mapping(parser)
    parser.add_argument(
        '--seed',
        type=count_from_zero,
        metavar='NUMBER',
        help='the same number gives the same data (default: 0)',
    )


def run(options: Namespace) -> int:
    """Make the data and print what it holds."""
    from gdl_agents.data.data_folder import DataFolder
    from gdl_agents.data.make import make_data
    from gdl_env.language.families.designation import Designation

    game = load(options.game)
    job = _write_job(game, options)
    out = options.out or Path('datasets') / Designation.read(game.name).file_name / options.how
    total = job.nodes if options.how == 'thorough' else job.number
    with counting(total, f'{game.name}, {options.how}') as advance:
        about = make_data(game, job, DataFolder(out), advance)
    if options.json:
        shown = ('game', 'command', 'job', 'roles', 'rows', 'mean_goals', 'no_values')
        told = {name: about[name] for name in shown if name in about}
        print(json.dumps({**told, 'folder': str(out)}, indent=2))
        return 0
    rows: dict[str, int] = about['rows']
    print(f'{", ".join(f"{count:,} {name}" for name, count in rows.items())} in {out}')
    return 0


def _write_job(game: Game, options: Namespace) -> DataJob:
    """Return the order that the options give. Raises UsageError."""
    from gdl_agents.data.errors import DataError
    from gdl_agents.data.job import FITS, DataJob, check_fits

    given: dict[str, Any] = {name: getattr(options, name) for name in FITS}
    # Zeros are given, too.
    given = {name: value for name, value in given.items() if value is not None and value != []}
    try:
        check_fits(options.how, given)
        if options.how in _ENDINGS:
            given.setdefault('endings', _ENDINGS[options.how])
        if options.how == 'imitation' and given['endings'] > 1:
            given.setdefault('extra', _EXTRA)
        given['agents'] = tuple(options.agents)
        given['role'] = (options.role or '').lower()
        return DataJob(
            options.game,
            game.hash,
            options.how,
            **given,
            mapping=options.mapping,
            shard=options.shard or 0,
            formats=_FORMATS[options.format],
        )
    except DataError as error:
        raise UsageError(str(error)) from error


def _probability(text: str) -> float:
    """Read a number from 0 to 1. Raises ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise ArgumentTypeError(f'expected a number from 0 to 1, got {text!r}')
    return value


VERB = Verb(
    name='data',
    group=Group.TRAIN,
    summary='make a data set of positions and games',
    description=__doc__,
    examples="""
    gdl data tictactoe --how thorough --sequences          every state, every game
    gdl data connect_four --how randomised -n 100000 --endings 10
    gdl data connect_four tactical --how battle            a random player against tactical
    gdl data connect_four mcts:playouts=200 tactical --how imitation --extra 0.1
    """,
    configure=configure,
    run=run,
)
