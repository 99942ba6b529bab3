"""The report as tables: for the terminal, and for the documentation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from contestants import REFERENCE

_BEGIN = '<!-- results: written by benchmark/engines.py -->'
_END = '<!-- end of results -->'

# A machine with more load than this for each core is busy.
_QUIET = 0.3

Report = dict[str, Any]
Table = tuple[str, list[str], list[list[str]]]


def print_report(report: Report) -> None:
    """Print all tables as plain columns."""
    print(describe(report).replace('**', ''))
    for title, headers, rows in _tables(report):
        print(f'\n{title}\n')
        widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
        for row in (headers, *rows):
            cells = [row[0].ljust(widths[0])]
            cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
            print('  '.join(cells).rstrip())


def write_doc(path: Path, report: Report) -> None:
    """Put the tables between the marks of a page. Raises ValueError if it has none."""
    text = path.read_text('utf-8')
    before, found, rest = text.partition(_BEGIN)
    _, ended, after = rest.partition(_END)
    if not found or not ended:
        raise ValueError(f'{path} has no place for results: {_BEGIN} … {_END}')
    parts = [describe(report)]
    for title, headers, rows in _tables(report):
        lines = [_line(headers), _line(['---', *['---:'] * (len(headers) - 1)])]
        lines += [_line(row) for row in rows]
        parts += [f'### {title}', '\n'.join(lines)]
    middle = '\n\n'.join([_BEGIN, *parts, _END])
    path.write_text(before + middle + after, 'utf-8')


def describe(report: Report) -> str:
    """Return date, machine and versions in a few lines."""
    machine, settings = report['machine'], report['settings']
    entries = [entry for game in report['games'] for entry in game['entries']]
    versions = dict.fromkeys(entry['version'] for entry in entries if 'version' in entry)
    lines = [
        f'**{report["date"][:10]}** on {machine["cpu"]} ({machine["cores"]} cores, '
        f'{machine["memory_gb"]} GB), {machine["system"]}, Python {machine["python"]}, '
        f'load {machine["load"]} at the start.',
        f'Against {"; ".join(versions)}.' if versions else 'Against nobody: no peer is installed.',
        f'Each number is the best of {settings["rounds"]} measurements of '
        f'{settings["seconds"]:g} s, in turns, on one core, for each second of processor time.',
    ]
    if machine['load'] > _QUIET * machine['cores']:
        lines.append(
            f'**The machine was busy** (a load of {machine["load"]} on {machine["cores"]} cores). '
            'Programs that share caches slow each other down, the large circuits most of all: '
            'measure again on a quiet machine before relying on these numbers.'
        )
    return '\n'.join(lines)


def _tables(report: Report) -> Iterable[Table]:
    games = report['games']
    yield _speed(games)
    if any('ratio' in entry for game in games for entry in game['entries']):
        yield _ratios(games)
    yield _same_game(games)
    yield _start(report)
    if any(game['single'] for game in games):
        yield _single(games)


def _speed(games: list[Report]) -> Table:
    titles = _titles(games, 'entries')
    rows = [
        [g['game'], g['rules'], *(_speed_of(_find(g['entries'], name)) for name in titles)]
        for g in games
    ]
    return 'Steps a second', ['game', 'our rules', *titles.values()], rows


def _ratios(games: list[Report]) -> Table:
    titles = _titles(games, 'entries')
    titles.pop(REFERENCE)
    rows = []
    for game in games:
        found = [_find(game['entries'], name) for name in titles]
        rows.append([game['game'], *(_ratio(entry) for entry in found)])
    return "Times open_spiel's C++ rollouts: best (medians)", ['game', *titles.values()], rows


def _same_game(games: list[Report]) -> Table:
    rows = []
    for game in games:
        for entry in game['entries']:
            if 'sample' in entry:
                rows.append([game['game'], entry['title'], *_sample(entry)])
    headers = ['game', 'contestant', 'games', 'mean length', 'first wins', 'draws', 'the same?']
    return 'Is it the same game? Random games', headers, rows


def _start(report: Report) -> Table:
    rows = []
    for game in report['games']:
        for entry in game['entries']:
            if 'first_start_seconds' in entry:
                first, again = entry['first_start_seconds'], entry['start_seconds']
                rows.append(
                    [
                        game['game'],
                        entry['title'],
                        f'{first["open"]:.2f} s',
                        f'{again["open"]:.2f} s',
                        f'{again["process"]:.2f} s',
                        f'{entry["operations"]:,}' if 'operations' in entry else '',
                        f'{entry["peak_mb"]:,} MB' if 'lanes' in entry else '',
                    ]
                )
    kernels = report['kernels_seconds']
    title = 'Start-up and memory'
    if kernels is not None:
        title += f' (once on a machine, until numba has compiled the kernels: {kernels:.1f} s)'
    return (
        title,
        [
            'game',
            'engine',
            'first time',
            'from cache',
            'with Python',
            'operations',
            'memory, 4,096 lanes',
        ],
        rows,
    )


def _single(games: list[Report]) -> Table:
    titles = _titles(games, 'single')
    rows = [[g['game'], *(_speed_of(_find(g['single'], name)) for name in titles)] for g in games]
    return 'Single states, a second', ['game', *titles.values()], rows


def _titles(games: list[Report], kind: str) -> dict[str, str]:
    return {entry['contestant']: entry['title'] for game in games for entry in game[kind]}


def _find(entries: list[Report], name: str) -> Report:
    return next((entry for entry in entries if entry['contestant'] == name), {'missing': '-'})


def _speed_of(entry: Report) -> str:
    if 'missing' in entry:
        # The whole reason is in the JSON.
        return 'not installed' if 'not installed' in entry['missing'] else '-'
    return _short(entry['best'])


def _short(value: float) -> str:
    """Return a number with three digits: 369 M, 4.60 M, 250, 16.0 k."""
    for unit, size in (('G', 1e9), ('M', 1e6), ('k', 1e3)):
        if value >= size:
            scaled = value / size
            digits = max(0, 2 - (scaled >= 10) - (scaled >= 100))
            return f'{scaled:.{digits}f} {unit}'
    return f'{value:.0f}'


def _ratio(entry: Report) -> str:
    if 'ratio' not in entry:
        return '-'
    best, median = (_factor(entry[name]) for name in ('ratio', 'ratio_of_medians'))
    return f'{best} ({median})'


def _factor(value: float) -> str:
    return f'{value:.0f}' if value >= 10 else f'{value:.2g}'


def _sample(entry: Report) -> Sequence[str]:
    s, agreement = entry['sample'], entry.get('agreement')
    verdict = ''
    if agreement is not None:
        verdict = 'yes' if agreement['looks_same'] else 'NO'
        if not agreement['is_enough']:
            verdict = 'too few games'
        if agreement['rules_differ']:
            verdict = f'other rules: {agreement["rules_differ"]}'
    return [
        f'{s["games"]:,}',
        f'{s["length"]:.2f} ± {s["length_error"]:.2f}',
        f'{100 * s["wins"]:.1f} %',
        f'{100 * s["draws"]:.1f} %',
        verdict,
    ]


def _line(cells: Sequence[str]) -> str:
    return f'| {" | ".join(cells)} |'
