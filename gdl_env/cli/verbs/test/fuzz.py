"""Compare all engines on randomly generated games.

The generator uses every feature of the language. Each engine plays each game in a separate
process: state by state, and on the circuit engine also in batches. At the first disagreement or
crash, the game is shrunk: rules and conditions are removed as long as the fault remains. The small
game and a recording are written to DIR, and the exit code is 1.

With --parser, the command damages rule files of the library at random, then reads, checks and
formats them. An error without a position in the file, or a traceback, counts as a fault.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import datetime, timezone
from functools import partial
from itertools import count
from pathlib import Path
import sys
from typing import TYPE_CHECKING

from gdl_env.cli.files import write_atomically
from gdl_env.cli.game_options import count_from_zero, positive_count, positive_number
from gdl_env.cli.progress import track
from gdl_env.cli.verb import Group, UsageError, Verb
from gdl_env.errors import GdlError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from gdl_env.engine.fuzzing.fuzz import Finding, FuzzReport
    from gdl_env.engine.fuzzing.trial import TrialTask

_GAMES, _FILES = 100, 1_000
# States of random walks of each game, for each two engines.
_STATES = 30
_FIRSTORDER_EVERY, _STANDALONE_EVERY = 20, 5
# After so many games a run without a terminal shows how far it is.
_REPORTED = 500


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        '--seed',
        type=int,
        metavar='NUMBER',
        help='the same number gives the same games (default: derived from the date, printed)',
    )
    parser.add_argument(
        '--games',
        type=positive_count,
        metavar='N',
        help=f'the games to try (default: {_GAMES}; with --parser {_FILES} files)',
    )
    parser.add_argument(
        '--first',
        type=count_from_zero,
        default=0,
        metavar='N',
        help='begin with game N of the seed, to continue a run that was stopped'
        ' (default: %(default)s)',
    )
    parser.add_argument(
        '--seconds',
        type=positive_number,
        default=float('inf'),
        metavar='S',
        help='start no new game after this time (default: no limit)',
    )
    parser.add_argument(
        '--engines',
        metavar='NAMES',
        help='the engines to compare, separated by commas (default: all)',
    )
    parser.add_argument(
        '--firstorder-every',
        type=positive_count,
        default=_FIRSTORDER_EVERY,
        metavar='N',
        help='the engine firstorder compiles every N-th game, which takes seconds'
        ' (default: %(default)s)',
    )
    parser.add_argument(
        '--standalone-every',
        type=positive_count,
        default=_STANDALONE_EVERY,
        metavar='N',
        help='run the standalone Prolog program of every N-th game (default: %(default)s)',
    )
    parser.add_argument(
        '--jobs',
        type=positive_count,
        default=1,
        metavar='N',
        help='games at a time, each in a process of its own (default: %(default)s)',
    )
    parser.add_argument(
        '-o',
        '--output',
        type=Path,
        default=Path('fuzz'),
        metavar='DIR',
        help='the folder for a game that shows a mistake (default: fuzz)',
    )
    parser.add_argument(
        '--parser', action='store_true', help='damage rule files, and read them instead'
    )


def run(options: Namespace) -> int:
    """Try random games; return 1 at a mistake."""
    from contextlib import ExitStack

    from gdl_env.engine.fuzzing.fuzz import FuzzPlan, fuzz
    from gdl_env.engine.fuzzing.game_trial import run_trial
    from gdl_env.engine.fuzzing.generator import generate
    from gdl_env.engine.fuzzing.mutation import mutate
    from gdl_env.engine.fuzzing.parser_trial import run_parser_trial
    from gdl_env.engine.fuzzing.process import TrialProcess
    from gdl_env.language.library import list_games

    if options.parser and options.engines:
        raise UsageError('--parser asks no engine: leave out --engines')
    seed = options.seed
    if seed is None:
        seed = int(datetime.now(timezone.utc).strftime('%Y%m%d'))
        print(f'seed {seed}', file=sys.stderr)
    make = partial(mutate, paths=list_games()) if options.parser else generate
    games = options.games or (_FILES if options.parser else _GAMES)
    engines = () if options.parser else _engines(options.engines)
    tasks = _plan_tasks(options, engines, seed)
    plan = FuzzPlan(make, tasks, seed, games, options.seconds, options.first)
    progress = _show_progress(games, 'files' if options.parser else 'games')
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                TrialProcess(make, run_parser_trial if options.parser else run_trial)
            )
            for _ in range(options.jobs)
        ]
        report = fuzz(plan, [p.run for p in processes], on_game=partial(next, progress, None))
    # Takes the bar off the screen.
    progress.close()
    if report.finding is None:
        print(_summary(report, is_parser=options.parser))
        return 0
    _write(report.finding, report, options.output)
    return 1


def _show_progress(games: int, what: str) -> Generator[None, None, None]:
    """Show how far a run is at each step: as a bar on a terminal, in lines elsewhere."""
    for done in track(count(1), games, 'fuzzing'):
        if done % _REPORTED == 0 and not sys.stderr.isatty():
            print(f'{done} of {games} {what} are done', file=sys.stderr, flush=True)
        yield


def _plan_tasks(
    options: Namespace, engines: tuple[str, ...], seed: int
) -> Callable[[int], TrialTask]:
    """Return which engines try a game: some only every so many games."""
    from gdl_env.engine.fuzzing.trial import TrialTask

    def plan(number: int) -> TrialTask:
        rare = () if number % options.firstorder_every == 0 else ('firstorder',)
        chosen = tuple(name for name in engines if name not in rare)
        return TrialTask(
            chosen if len(chosen) > 1 else engines,
            _STATES,
            seed,
            has_standalone=bool(engines) and number % options.standalone_every == 0,
        )

    return plan


def _engines(names: str | None) -> tuple[str, ...]:
    from gdl_env.engine.registry import AUTO, engine_names

    known = tuple(name for name in engine_names() if name != AUTO)
    chosen = known if names is None else tuple(names.split(','))
    for name in chosen:
        if name not in known:
            raise UsageError(f'no engine named {name!r}; engines: {", ".join(known)}')
    if len(set(chosen)) < len(chosen) or len(chosen) < 2:
        raise UsageError('give two or more different engines to compare')
    return chosen


def _summary(report: FuzzReport, *, is_parser: bool) -> str:
    from gdl_env.engine.fuzzing.trial import TrialStatus

    rest = [
        f'{number} {status.value}'
        for status, number in report.statuses.items()
        if status is not TrialStatus.AGREE
    ]
    extent = f'in {report.seconds:.0f} s' + (f' ({", ".join(rest)})' if rest else '')
    if is_parser:
        return f'{report.games} damaged files read without a crash {extent}'
    seen = ', '.join(f'{name} {games}' for name, games in report.seen.most_common())
    return f'no disagreement in {report.games} games, {report.states} states {extent}\n{seen}'


def _write(finding: Finding, report: FuzzReport, folder: Path) -> None:
    stem = folder / f'fuzz-{finding.game.seed}'
    rules, recording = stem.with_suffix('.gdl'), stem.with_suffix('.recording.jsonl')
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GdlError(f'cannot write {folder}: {error.strerror or error}') from error
    write_atomically(rules, finding.game.text)
    written = f'{rules}'
    if finding.trial.recording:
        write_atomically(recording, ''.join(f'{line}\n' for line in finding.trial.recording))
        written += f' and {recording}'
    print(finding.trial.remark.rstrip(), file=sys.stderr)
    print(f'game {report.games} shows a mistake; made small, it is in {written}', file=sys.stderr)


VERB = Verb(
    name='fuzz',
    group=Group.TEST,
    summary='compare all engines on random games with all features of the language',
    description=__doc__,
    examples="""
    gdl fuzz                                       100 games, other ones each day
    gdl fuzz --seed 7 --games 1000                 the same games each time
    gdl fuzz --seconds 600 -o found                ten minutes; a mistake goes to the folder found
    gdl fuzz --engines circuit,firstorder          two engines only
    gdl fuzz --parser                              damaged rule files on parser and checker
    """,
    configure=configure,
    run=run,
)
