"""What a survey of many games showed: tables, a summary, and the same as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gdl_env.cli.tables import print_table
from gdl_env.engine.verification.survey import GameResult, SurveyStatus
from gdl_env.engine.verification.survey_log import to_dict

_LONGEST_REMARK = 90


def print_survey(results: Sequence[GameResult], *, show_all: bool) -> None:
    """Print a table of the games that did not simply agree (or of all), and a summary."""
    shown = [r for r in results if show_all or r.status is not SurveyStatus.AGREE]
    if shown:
        print_table(
            ('game', 'engine', 'states#', 'seconds#', 'result', 'remark'),
            (
                (
                    r.path.name,
                    r.engine or '-',
                    r.states,
                    f'{r.seconds:.1f}',
                    r.status.value,
                    _first_line(r.remark),
                )
                for r in shown
            ),
        )
        print()
    over = [(r.path.name, name, why) for r in results for name, why in r.passed_over]
    if over:
        print_table(
            ('game', 'engine', 'why not'),
            ((game, name, _first_line(why)) for game, name, why in over),
            title='Engines that could not run a game:',
        )
        print()
    for result in results:
        if result.status in {SurveyStatus.DISAGREE, SurveyStatus.FAILED}:
            print(f'{result.path}: {result.remark}\n')
    _print_summary(results)


def survey_to_dict(results: Sequence[GameResult]) -> dict[str, object]:
    """Return everything as plain data."""
    return {
        'results': dict(_count_results(results)),
        'engines': dict(_count_engines(results)),
        'games': [to_dict(r) for r in results],
    }


def _print_summary(results: Sequence[GameResult]) -> None:
    parts = ', '.join(f'{count} {status}' for status, count in _count_results(results))
    states = sum(result.states for result in results)
    print(f'{len(results)} games: {parts}; {states} states compared')
    engines = _count_engines(results)
    total = sum(count for _, count in engines)
    for name, count in engines:
        print(f'{count} of {total} games run on {name} ({100 * count / total:.1f} %)')


def _count_results(results: Sequence[GameResult]) -> list[tuple[str, int]]:
    counts = Counter(result.status for result in results)
    return [(status.value, counts[status]) for status in SurveyStatus if counts[status]]


def _count_engines(results: Sequence[GameResult]) -> list[tuple[str, int]]:
    return Counter(result.engine for result in results if result.engine).most_common()


def _first_line(text: str) -> str:
    line = text.split('\n')[0]
    return line if len(line) <= _LONGEST_REMARK else f'{line[: _LONGEST_REMARK - 1]}…'
