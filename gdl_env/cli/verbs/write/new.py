"""Create a new game: a small, complete rule file that you change step by step.

The rules have types, options and comments, pass `gdl check`, and can be played at once. Kinds:
board (stones on a grid), race (along a track), dice (a race with weighted chance), cards (hidden
cards, dealt by chance), together (all players move at the same time).
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
import re

from gdl_env.cli.files import write_atomically
from gdl_env.cli.program import program_name
from gdl_env.cli.scaffold import NAMES, kinds, scaffold
from gdl_env.cli.verb import Group, UsageError, Verb

_NAME = re.compile(r'[a-z][a-z0-9_]*')


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        'name', metavar='NAME', help='the name of the game: lower-case letters, digits and _'
    )
    parser.add_argument(
        '--kind', choices=kinds(), default='board', help='the kind of game (default: board)'
    )
    parser.add_argument(
        '--players',
        type=int,
        choices=range(2, len(NAMES) + 1),
        default=2,
        metavar='N',
        help=f'number of players, 2 to {len(NAMES)} (default: 2)',
    )
    parser.add_argument(
        '-o', '--output', type=Path, metavar='FILE', help='the file to write (default: NAME.gdl)'
    )


def run(options: Namespace) -> int:
    """Write the file, and say what can be done with it."""
    if not _NAME.fullmatch(options.name):
        raise UsageError(
            f'{options.name!r} cannot be the name of a game: use lower-case letters, digits and _'
        )
    path = options.output or Path(f'{options.name}.gdl')
    if path.exists():
        raise UsageError(f'{path} exists already')
    title = options.name.replace('_', ' ').title()
    write_atomically(path, scaffold(title, options.kind, options.players))
    print(f'wrote {path}; check, play and test it:')
    for command in ('check', 'play', 'random'):
        print(f'  {program_name()} {command} {path}')
    return 0


VERB = Verb(
    name='new',
    group=Group.WRITE,
    summary='create a new game from a small complete one',
    description=__doc__,
    examples="""
    gdl new my_game                          stones on a board, two players
    gdl new my_game --kind cards --players 3 hidden cards, three players
    """,
    configure=configure,
    run=run,
)
