"""What the arena found, as tables of the documentation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

_BEGIN = '<!-- arena: written by benchmark/arena.py -->'
_END = '<!-- arena: end -->'

# Published results of 1,000 matches: wins of the first player, draws, wins of the second.
_PUBLISHED = {
    ('random', 'random'): '563/3/434',
    ('random', 'lookahead:depth=1'): '288/0/712',
    ('lookahead:depth=1', 'random'): '842/0/158',
    ('lookahead:depth=1', 'lookahead:depth=1'): '594/0/406',
}


def write_doc(path: Path, report: dict[str, Any]) -> None:
    """Put the tables between the marks of a page. Raises ValueError if it has none."""
    text = path.read_text('utf-8')
    before, found, rest = text.partition(_BEGIN)
    _, ended, after = rest.partition(_END)
    if not found or not ended:
        raise ValueError(f'{path} has no place for results: {_BEGIN} … {_END}')
    parts = [_TABLES[name](report[name]) for name in _TABLES if name in report]
    path.write_text('\n\n'.join([before + _BEGIN, *parts, _END]) + after, 'utf-8')


def _seed(part: dict[str, Any]) -> str:
    names = part['names']
    cells = {(c['first'], c['second']): c for c in part['cells']}
    rows = []
    for first in names:
        row = [f'`{first}`']
        for second in names:
            text = '/'.join(map(str, cells[first, second]['result']))
            known = _PUBLISHED.get((first, second))
            row.append(f'{text} ({known})' if known else text)
        rows.append(row)
    games = part['cells'][0]['games']
    return _section(
        f'Connect Four, simple players: {games:,} matches a cell',
        part,
        'Wins of the player on the left (red) / draws / wins of the player above. In brackets the'
        ' published results; they fit a player that wins at once if it can and looks no further'
        ' (`lookahead:depth=1`), not the rule as it is described, which is `lookahead`.',
        ['', *(f'`{name}`' for name in names)],
        rows,
    )


def _krieg(part: dict[str, Any]) -> str:
    low, high = part['interval']
    wins, draws, losses = part['result']
    fair = (
        f'{part["games"]:,} random games ({part["seconds"]:.1f} s of processor time): x won'
        f' {wins:,}, o won {losses:,}, {draws:,} draws. The difference is'
        f' {100 * part["difference"]:+.3f} % (95 % interval {100 * low:+.3f} to'
        f' {100 * high:+.3f} %).'
    )
    return _section(
        'Simultaneous Krieg Tic-tac-toe', part, fair, _CELL_HEADERS, _cell_rows(part['cells'])
    )


def _strong(part: dict[str, Any]) -> str:
    return _section(
        'Connect Four, strong players', part, '', _CELL_HEADERS, _cell_rows(part['cells'])
    )


def _games(part: dict[str, Any]) -> str:
    rows = [[name, *row] for name, cells in part['cells'].items() for row in _cell_rows(cells)]
    return _section('Other games, at equal time', part, '', ['game', *_CELL_HEADERS], rows)


def _more(part: dict[str, Any]) -> str:
    rows = [
        [name, f'`{c["first"]}`', '/'.join(map(str, c['result'])), str(c['goal'])]
        for name, cells in part['cells'].items()
        for c in cells
    ]
    return _section(
        'Lazerbike against random players, Sokoban alone',
        part,
        'Sokoban is a win if the level is solved.',
        ['game', 'player', 'won/drawn/lost', 'mean goal'],
        rows,
    )


def _optimal(part: dict[str, Any]) -> str:
    rows = [
        [f'`{r["player"]}`', f'{100 * r["kept"]:.1f} %', f'{100 * r["best"]:.1f} %',
         f'{r["seconds"]:g} s'] for r in part['rows']
    ]  # fmt: skip
    return _section(
        f'Connect Four: moves that a perfect player would make, {part["positions"]:,} positions',
        part,
        'Positions after 12 to 29 random moves in which some moves keep the outcome and others do'
        ' not, judged by bitbully. *Best*: wins soonest, or loses latest, too.',
        ['player', 'keeps the outcome', 'best', 'time for all'],
        rows,
    )


def _speed(part: dict[str, Any]) -> str:
    rows = [
        [
            r['game'],
            r.get('run', ''),
            str(r['rollouts']),
            f'{r["ours"]:,.0f}',
            f'{r["open_spiel"]:,.0f}',
            f'{r["ours"] / r["open_spiel"]:.1f} x',
        ]
        for r in part['rows']
    ]
    return _section(
        'Random games a second in tree search',
        part,
        "Of processor time, beside open_spiel's MCTS in C++, in searches of the initial position"
        f' with {part["games"]:,} random games each.',
        ['game', 'run', 'random games a leaf', 'ours', 'open_spiel', 'ratio'],
        rows,
    )


_TABLES = {
    'seed': _seed,
    'krieg': _krieg,
    'strong': _strong,
    'games': _games,
    'optimal': _optimal,
    'speed': _speed,
    'more': _more,
}
_CELL_HEADERS = ['first', 'second', 'won/drawn/lost by the first', 'time']


def _cell_rows(cells: list[dict[str, Any]]) -> list[list[str]]:
    return [
        [
            f'`{c["first"]}`',
            f'`{c["second"]}`',
            '/'.join(map(str, c['result'])),
            f'{c["seconds"]:g} s',
        ]
        for c in cells
    ]


def short_name(name: str) -> str:
    """Return a player without the folder of its run."""
    kind, _, detail = name.partition(':')
    return f'{kind}:{detail.split(" ", 1)[1]}' if ' ' in detail else name


def _section(
    title: str, part: dict[str, Any], text: str, headers: Sequence[str], rows: list[list[str]]
) -> str:
    about = part['about']
    told = f'{about["date"]}, commit {about["commit"]}, {about["cores"]} cores'
    if about['load'] is not None:
        told += f' with a load of {about["load"]} at the start; {about["seconds"]:g} s'
    told = f'*{told}.* {about.get("note", "")}'.strip()
    lines = [f'| {" | ".join(headers)} |', f'|{"---|" * len(headers)}']
    lines += [f'| {" | ".join(row)} |' for row in rows]
    return '\n\n'.join(p for p in (f'### {title}', text, '\n'.join(lines), told) if p)
