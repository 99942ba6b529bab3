"""Compare two engines on the states of random games, to find errors in either.

The command compares roles, initial state, legal moves, next states, ends, goals, views, percepts,
experiments and their probabilities. At a disagreement it prints the shortest sequence of moves
that it found as a recording, or writes it to FILE, and the exit code is 1.

With --corpus, the command compares all games of a folder, or those that its INDEX.tsv lists.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial
from itertools import count
import os
from pathlib import Path
import sys
from typing import TYPE_CHECKING

from gdl_env.cli.files import write_atomically
from gdl_env.cli.game_options import (
    GAME_HELP,
    add_engine,
    add_seed,
    load,
    positive_count,
    positive_number,
    seed_from,
)
from gdl_env.cli.progress import track
from gdl_env.cli.verb import Group, UsageError, Verb
from gdl_env.errors import EngineUnavailableError

if TYPE_CHECKING:
    from gdl_env.engine.contract import Engine

_STATES, _STATES_OF_EACH = 1_000, 100


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument('game', metavar='GAME', nargs='?', help=GAME_HELP)
    parser.add_argument(
        '--against', default='prolog', metavar='NAME', help='the other engine (default: prolog)'
    )
    parser.add_argument(
        '--states',
        type=positive_count,
        metavar='N',
        help=f'the states to compare (default: {_STATES}; of each game of a corpus: '
        f'{_STATES_OF_EACH})',
    )
    parser.add_argument(
        '-o',
        '--output',
        type=Path,
        metavar='FILE',
        help='the file for a recording of the disagreement',
    )
    add_seed(parser)
    add_engine(parser)
    corpus = parser.add_argument_group('all games of a folder')
    corpus.add_argument('--corpus', type=Path, metavar='DIR', help='the folder')
    corpus.add_argument(
        '--sample', type=positive_count, metavar='N', help='take about N games, spread evenly'
    )
    corpus.add_argument(
        '--only', metavar='TEXT', default='', help='take games whose file name contains TEXT'
    )
    corpus.add_argument(
        '--jobs',
        type=positive_count,
        default=os.cpu_count() or 1,
        metavar='N',
        help='games verified at the same time (default: one for each processor)',
    )
    corpus.add_argument(
        '--time',
        type=positive_number,
        default=60.0,
        metavar='SECONDS',
        help='longest comparison of one game (default: 60)',
    )
    corpus.add_argument(
        '--log',
        type=Path,
        metavar='FILE',
        help='add each result to FILE; games that FILE already lists are skipped',
    )
    corpus.add_argument('--all', action='store_true', help='also list the games that agree')
    corpus.add_argument('--json', action='store_true', help='print one JSON object')


def run(options: Namespace) -> int:
    """Compare engines on one game or on many; return 1 at a disagreement."""
    from gdl_env.engine.registry import engine_names, open_engine

    if (options.game is None) == (options.corpus is None):
        raise UsageError('give either a GAME or --corpus DIR')
    for name in (options.engine, options.against):
        if name not in engine_names():
            raise UsageError(f'no engine named {name!r}; engines: {", ".join(engine_names())}')
    if options.corpus is not None:
        return _verify_all(options)
    game = load(options.game)
    with open_engine(game, options.engine, time_limit=options.time_limit) as first:
        if first.name == options.against:
            reasons = '; '.join(f'{name}: {why}' for name, why in first.passed_over)
            raise EngineUnavailableError(
                f'{game.name} runs on {first.name} only, so there is nothing to compare it with'
                + (f' ({reasons})' if reasons else '')
            )
        with open_engine(game, options.against, time_limit=options.time_limit) as second:
            return _verify(first, second, options)


def _verify(first: Engine, second: Engine, options: Namespace) -> int:
    from gdl_env.engine.recordings.recording import to_lines
    from gdl_env.engine.verification.comparison import Comparison
    from gdl_env.engine.verification.counterexample import describe, to_counterexample
    from gdl_env.engine.verification.verify import verify

    name = first.game.name
    states = options.states or _STATES
    bar = track(count(), states, name)
    seed = seed_from(options)
    found = verify(first, second, states, seed, on_state=partial(next, bar, None))
    # Takes the bar off the screen.
    del bar
    if found.disagreement is None:
        extent = f'{found.states} states ({found.different} different)'
        print(f'{name}: {first.name} and {second.name} agree on {extent}')
        if found.cut:
            print(f'{name}: stopped early: {found.cut}', file=sys.stderr)
        return 0
    comparison = Comparison(first, second)
    print(f'{name}: {describe(comparison, found.disagreement)}', file=sys.stderr)
    shown = to_counterexample(comparison, found.disagreement)
    text = ''.join(f'{line}\n' for line in to_lines(shown.recording))
    if options.output is None:
        print(text, end='')
    else:
        write_atomically(options.output, text)
    file = options.output or 'FILE'
    what = f'the recording is what {shown.teller.name} says'
    if shown.is_shown:
        what += f'; gdl replay {file} --game {options.game} --engine {shown.other.name} deviates'
    print(what, file=sys.stderr)
    return 1


def _verify_all(options: Namespace) -> int:
    from gdl_env.cli.survey_report import print_survey, survey_to_dict
    from gdl_env.engine.verification.survey import SurveyStatus, SurveyTask, survey
    from gdl_env.engine.verification.survey_log import SurveyLog

    paths = _paths(options)
    task = SurveyTask(
        options.engine,
        options.against,
        options.states or _STATES_OF_EACH,
        seed_from(options),
        options.time,
        options.time_limit,
    )
    log = SurveyLog(options.log, task) if options.log else None
    left = log.missing(paths) if log else paths
    order = {path: index for index, path in enumerate(paths)}
    results = [result for result in (log.results if log else ()) if result.path in order]
    is_stopped = False
    try:
        for result in track(survey(left, task, options.jobs), len(left), 'verifying'):
            results.append(result)
            if log:
                log.append(result)
    except KeyboardInterrupt:
        # What was compared by then is worth telling.
        is_stopped = True
    results.sort(key=lambda result: order[result.path])
    if options.json:
        import json

        print(json.dumps(survey_to_dict(results), indent=2))
    else:
        print_survey(results, show_all=options.all)
    lines = [line for result in results for line in result.recording]
    if options.output is not None and lines:
        write_atomically(options.output, ''.join(f'{line}\n' for line in lines))
    if is_stopped:
        print(f'stopped after {len(results)} of {len(paths)} games', file=sys.stderr)
        return 130
    return int(
        any(result.status in {SurveyStatus.DISAGREE, SurveyStatus.FAILED} for result in results)
    )


def _paths(options: Namespace) -> list[Path]:
    from gdl_env.engine.verification.corpus import INDEX, read_index
    from gdl_env.language.library import rule_files

    folder: Path = options.corpus
    if (folder / INDEX).is_file():
        paths = [game.path for game in read_index(folder)]
    else:
        paths = rule_files(folder, is_deep=True)
    paths = [path for path in paths if options.only in path.name]
    if not paths:
        raise UsageError(f'no game of {folder} has {options.only!r} in its file name')
    if options.sample:
        paths = paths[:: max(1, len(paths) // options.sample)][: options.sample]
    return paths


VERB = Verb(
    name='verify',
    group=Group.TEST,
    summary='compare two engines on random games',
    description=__doc__,
    examples="""
    gdl verify tictactoe                                  its default engine against Prolog
    gdl verify tictactoe --states 10000 -o wrong.jsonl    more states; differences as a recording
    gdl verify --corpus games                             all games of a folder
    gdl verify --corpus corpus --sample 50 --json         about 50 of them, for scripts
    gdl verify --corpus corpus --log done.jsonl           stop and resume at any time
    """,
    configure=configure,
    run=run,
)
