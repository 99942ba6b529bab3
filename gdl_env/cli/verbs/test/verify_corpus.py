"""Verify an engine against a corpus of public games: DIR with INDEX.tsv, games and matches.

The command loads each game, compares its initial facts, first legal moves and perft numbers with
the index, and replays its recorded matches. The exit code is 1 if a game deviates or does not
load. Three results are listed but do not count as failures: a game that runs out of time; a game
with errors that the index does not describe or calls unsafe; a deviation in unsafe rules
(doubtful).
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
import os
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from gdl_env.cli.game_options import positive_count, positive_number
from gdl_env.cli.progress import track
from gdl_env.cli.tables import print_table
from gdl_env.cli.verb import Group, UsageError, Verb
from gdl_env.errors import EngineLimitError, EngineUnavailableError, GdlError

if TYPE_CHECKING:
    from gdl_env.engine.verification.corpus import CorpusGame, VerificationLimits

OK, CUT, REFUSED, DOUBTFUL = 'ok', 'out of time', 'refused', 'doubtful'
DEVIATES, ERROR = 'deviates', 'error'
Matches = Mapping[Path, list[Mapping[str, object]]]


@dataclass(frozen=True)
class Result:
    """The result for one game."""

    path: Path
    status: str
    remark: str
    compared: tuple[str, ...] = ()
    seconds: float = 0.0


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument('folder', metavar='DIR', type=Path, help='the folder with INDEX.tsv')
    parser.add_argument(
        '--sample', type=positive_count, metavar='N', help='take about N games, spread evenly'
    )
    parser.add_argument(
        '--only', metavar='TEXT', default='', help='take games whose file name contains TEXT'
    )
    parser.add_argument(
        '--time',
        type=positive_number,
        default=60.0,
        metavar='SECONDS',
        help='longest time for one game (default: 60)',
    )
    parser.add_argument(
        '--states',
        type=positive_count,
        default=2_000,
        metavar='N',
        help='the states that perft may compute for one game (default: 2000)',
    )
    parser.add_argument(
        '--jobs',
        type=positive_count,
        default=os.cpu_count() or 1,
        metavar='N',
        help='games verified at the same time (default: one for each processor)',
    )
    parser.add_argument('--engine', default='auto', metavar='NAME', help='the engine to verify')
    parser.add_argument('--all', action='store_true', help='also list the games without a finding')


def run(options: Namespace) -> int:
    """Verify the games; return 1 if one deviates."""
    from gdl_env.engine.verification.corpus import VerificationLimits, read_index, read_matches

    games = [game for game in read_index(options.folder) if options.only in game.path.name]
    if options.sample:
        games = games[:: max(1, len(games) // options.sample)][: options.sample]
    if not games:
        raise UsageError(f'no game of {options.folder} has {options.only!r} in its file name')
    limits = VerificationLimits(options.time, options.states)
    matches = read_matches(options.folder)
    results = list(track(_verify_all(games, matches, limits, options), len(games), 'verifying'))
    order = {game.path: index for index, game in enumerate(games)}
    results.sort(key=lambda result: order[result.path])
    _print(results, show_all=options.all)
    return int(any(result.status in {DEVIATES, ERROR} for result in results))


def _verify_all(
    games: list[CorpusGame], matches: Matches, limits: VerificationLimits, options: Namespace
) -> Iterator[Result]:
    # Engines work in processes of their own: threads are enough to wait for them.
    with ThreadPoolExecutor(options.jobs) as pool:
        waiting = [pool.submit(_verify, game, matches, limits, options.engine) for game in games]
        try:
            for done in as_completed(waiting):
                yield done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _verify(
    game: CorpusGame, matches: Matches, limits: VerificationLimits, engine_name: str
) -> Result:
    from gdl_env.engine.registry import open_engine
    from gdl_env.engine.verification.corpus import verify
    from gdl_env.language.load import load_game

    start = monotonic()
    try:
        rules = load_game(game.path)
        with open_engine(rules, engine_name, time_limit=limits.time) as engine:
            found = verify(engine, game, matches.get(game.path, ()), limits)
    except EngineUnavailableError:
        raise
    except EngineLimitError as error:
        return Result(game.path, CUT, str(error), seconds=monotonic() - start)
    except GdlError as error:
        is_known = game.initial_facts is not None and not game.is_unsafe
        status = ERROR if is_known else REFUSED
        return Result(game.path, status, str(error), seconds=monotonic() - start)
    if found.deviation:
        status = DOUBTFUL if game.is_unsafe else DEVIATES
    else:
        status = CUT if found.is_cut else OK
    return Result(game.path, status, found.deviation, found.compared, monotonic() - start)


def _print(results: list[Result], *, show_all: bool) -> None:
    shown = [result for result in results if show_all or result.status != OK]
    if shown:
        print_table(
            ('game', 'result', 'compared', 'seconds#', 'remark'),
            (
                (r.path.name, r.status, _compared(r), f'{r.seconds:.1f}', r.remark.split('\n')[0])
                for r in shown
            ),
        )
        print()
    for result in results:
        if result.status in {DEVIATES, ERROR}:
            print(f'{result.path}: {result.remark}\n')
    counts = Counter(result.status for result in results)
    parts = [
        f'{counts[status]} {status}' for status in (OK, CUT, REFUSED, DOUBTFUL, DEVIATES, ERROR)
    ]
    bare = sum(result.status == OK and not result.compared for result in results)
    if bare:
        # Nothing is known of these but that they load: no proof of anything else.
        parts[0] += f' ({bare} of them only loaded)'
    matches = sum(result.compared.count('match') for result in results)
    numbers = sum(text.startswith('perft') for r in results for text in r.compared)
    print(f'{len(results)} games: {", ".join(parts)}; {numbers} perft numbers, {matches} matches')


def _compared(result: Result) -> str:
    depth = sum(text.startswith('perft') for text in result.compared)
    matches = result.compared.count('match')
    parts = ['start'] if result.compared else ['loads'] if result.status == OK else []
    parts += [f'perft {depth}'] if depth else []
    parts += [f'{matches} matches'] if matches else []
    return ', '.join(parts) or '-'


VERB = Verb(
    name='verify-corpus',
    group=Group.TEST,
    summary='verify an engine against a corpus of public games',
    description=__doc__,
    examples="""
    gdl verify-corpus corpus --sample 50                  about 50 games
    gdl verify-corpus corpus --only chess --time 300      some games, with more time
    """,
    configure=configure,
    run=run,
)
