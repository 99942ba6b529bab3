"""Invent new games: rule files that nobody has written, and a table of how good they are.

Each game is put together from parts: a board, stones that are placed or pieces that move, an aim,
who moves when, and sometimes chance or hidden stones. Games are thrown away that are broken (by
gdl check and in random games), endless, or trivial (one seat nearly always wins, nearly all games
are drawn, or thinking wins nothing). The others are played by players of three strengths and
measured from 0 to 1: balance of the seats, decisiveness, drama, depth, length and branching.

The rule files are written to FOLDER, with scores.csv, the best game first. They are games like all
others: change, check, play and train them.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
import csv
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from gdl_env.cli.files import write_atomically
from gdl_env.cli.game_options import positive_count, seed_from
from gdl_env.cli.program import program_name
from gdl_env.cli.progress import counting
from gdl_env.cli.tables import print_table
from gdl_env.cli.verb import Group, UsageError, Verb
from gdl_env.errors import GdlError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gdl_agents.inventing.invent import Invention, Rejected

_TABLE = 'scores.csv'
_COLUMNS = ('balance', 'decisiveness', 'drama', 'depth', 'length', 'branching', 'turns', 'choices')


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        '-n',
        '--number',
        type=positive_count,
        default=5,
        metavar='N',
        help='the games to write (default: 5)',
    )
    parser.add_argument(
        '--pool',
        type=positive_count,
        metavar='N',
        help='write the best of this many games that were not thrown away'
        ' (default: as many as -n)',
    )
    parser.add_argument(
        '--seed',
        type=int,
        metavar='NUMBER',
        help='the same number gives the same games (default: a new one each time, printed)',
    )
    parser.add_argument(
        '-o',
        '--output',
        type=Path,
        default=Path('invented'),
        metavar='FOLDER',
        help='the folder to write to (default: invented)',
    )
    parser.add_argument(
        '--rejected', action='store_true', help='say of each game that was thrown away why'
    )


def run(options: Namespace) -> int:
    """Invent games, write them, and print their scores."""
    from gdl_agents.inventing.invent import Rejected, invent_games

    if options.pool and options.pool < options.number:
        raise UsageError(f'--pool {options.pool} is less than -n {options.number}')
    folder = _prepare(options.output)
    seed = seed_from(options)
    faults: Counter[str] = Counter()
    with counting(options.pool or options.number, 'inventing') as advance:

        def report(tried: Invention | Rejected) -> None:
            if not isinstance(tried, Rejected):
                advance(1)
                return
            faults[tried.finding.fault.value] += 1
            if options.rejected:
                print(f'{tried.name}: {tried.finding.fault.value}: {tried.finding.words}')

        games = invent_games(options.number, seed, options.pool or 0, report)
    _write(folder, games, write_atomically)
    _print(folder, games, faults)
    return 0


def _prepare(folder: Path) -> Path:
    """Make the folder; refuse one with games in it, so that sets are not mixed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = sorted(path.name for path in folder.iterdir() if path.suffix == '.gdl')
    except OSError as error:
        raise GdlError(f'cannot write to {folder}: {error.strerror or error}') from error
    if held:
        raise UsageError(f'{folder} holds games already ({held[0]}): choose another folder')
    return folder


def _write(folder: Path, games: Sequence[Invention], write: Callable[[Path, str], None]) -> None:
    for game in games:
        write(folder / f'{game.name}.gdl', game.text)
    table = StringIO()
    rows = csv.writer(table, lineterminator='\n')
    rows.writerow(('game', 'score', *_COLUMNS))
    for game in games:
        rows.writerow((game.name, *_cells(game, 4)))
    write(folder / _TABLE, table.getvalue())


def _print(folder: Path, games: Sequence[Invention], faults: Counter[str]) -> None:
    headers = ('game', 'score#', *(f'{name}#' for name in _COLUMNS))
    print_table(headers, ((game.name, *_cells(game, 2)) for game in games))
    print()
    if faults:
        reasons = ', '.join(f'{count} {fault}' for fault, count in sorted(faults.items()))
        print(f'{sum(faults.values())} others were thrown away: {reasons}')
    print(f'wrote {folder}; look at the best, play and change it:')
    for command in ('play', 'check', 'train'):
        print(f'  {program_name()} {command} {folder / games[0].name}.gdl')


def _cells(game: Invention, digits: int) -> tuple[str, ...]:
    values = (game.measures.score, *(getattr(game.measures, name) for name in _COLUMNS))
    return tuple(f'{value:.{digits}f}' for value in values)


VERB = Verb(
    name='invent',
    group=Group.WRITE,
    summary='invent new games, and say how good they are',
    description=__doc__,
    examples="""
    gdl invent -n 20 --seed 7 -o my_games   20 games, always the same
    gdl invent --pool 30 --rejected         the best 5 of 30, and why others were thrown away
    """,
    configure=configure,
    run=run,
)
