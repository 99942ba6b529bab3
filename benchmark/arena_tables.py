"""What the arena found, as tables of the documentation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
import re

from arena_cells import FAIRNESS, interval
from arena_speed import SEARCH
from parts import Row

_BEGIN = '<!-- arena: written by benchmark/arena.py -->'
_END = '<!-- arena: end -->'

# Published results of 1,000 matches: wins of the first player, draws, wins of the second.
_PUBLISHED = {
    ('random', 'random'): '563/3/434',
    ('random', 'lookahead:depth=1'): '288/0/712',
    ('lookahead:depth=1', 'random'): '842/0/158',
    ('lookahead:depth=1', 'lookahead:depth=1'): '594/0/406',
}


def write_doc(path: Path, rows: list[Row]) -> None:
    """Put the tables between the marks of a page. Raises ValueError if it has none."""
    text = path.read_text('utf-8')
    before, found, rest = text.partition(_BEGIN)
    _, ended, after = rest.partition(_END)
    if not found or not ended:
        raise ValueError(f'{path} has no place for results: {_BEGIN} … {_END}')
    path.write_text('\n\n'.join([before + _BEGIN, *make_tables(rows), _END]) + after, 'utf-8')


def make_tables(rows: list[Row]) -> list[str]:
    """Return a section for each part that was measured."""
    rows = sorted(rows, key=lambda row: row['place'])
    parts = {name: [row for row in rows if row['part'] == name] for name in _TABLES}
    return [_TABLES[name](found) for name, found in parts.items() if found]


def _seed(rows: list[Row]) -> str:
    names = list(dict.fromkeys(row['first'] for row in rows))
    cells = {(row['first'], row['second']): row for row in rows}
    lines = []
    for first in names:
        line = [f'`{first}`']
        for second in names:
            cell = cells.get((first, second))
            known = _PUBLISHED.get((first, second))
            text = _result(cell) if cell else ''
            line.append(f'{text} ({known})' if known else text)
        lines.append(line)
    return _section(
        f'Connect Four, simple players: {_counts(rows)} matches a cell',
        rows,
        'Wins of the player on the left (red) / draws / wins of the player above. In brackets the'
        ' published results; they fit a player that wins at once if it can and looks no further'
        ' (`lookahead:depth=1`), not the rule as it is described, which is `lookahead`.',
        ['', *(f'`{name}`' for name in names)],
        lines,
    )


def _krieg(rows: list[Row]) -> str:
    fair = ''
    for row in rows:
        if row['first'] == FAIRNESS:
            wins, draws, losses = row['result']
            difference, low, high = interval(wins, losses, row['done'])
            fair = (
                f'{row["done"]:,} random games ({row["seconds"]:.1f} s of processor time): x won'
                f' {wins:,}, o won {losses:,}, {draws:,} draws. The difference is'
                f' {100 * difference:+.3f} % (95 % interval {100 * low:+.3f} to'
                f' {100 * high:+.3f} %).'
            )
    cells = [row for row in rows if row['first'] != FAIRNESS]
    return _section('Simultaneous Krieg Tic-tac-toe', rows, fair, _HEADERS, _cells(cells))


def _strong(rows: list[Row]) -> str:
    rows = sorted(rows, key=_time)
    return _section('Connect Four, strong players', rows, _LEARNED, _HEADERS, _cells(rows))


def _games(rows: list[Row]) -> str:
    rows = sorted(rows, key=lambda row: (row['game'], _time(row)))
    text = f'{_LEARNED} A handful of matches says little of who is stronger.'
    return _section('Other games', rows, text, ['game', *_HEADERS], _cells(rows, with_game=True))


def _rave(rows: list[Row]) -> str:
    text = (
        'Does it help to learn of a move from all games in which it was played later'
        ' (`rave`, off by default)? Against the same player without, as many random games a move.'
    )
    lines = [line[:-1] for line in _cells(rows, with_game=True)]
    return _section('All moves as first', rows, text, ['game', *_HEADERS[:-1]], lines)


def _more(rows: list[Row]) -> str:
    bikes = [row for row in rows if row['game'] == 'lazerbike']
    levels = [row for row in rows if row['game'] != 'lazerbike']
    lines = [[f'`{r["first"]}`', _result(r), f'{r["goals"] / r["done"]:.1f}'] for r in bikes]
    names = list(dict.fromkeys(row['game'] for row in levels))
    solved = {(r['game'], r['first']): f'{r["result"][0]} of {r["done"]}' for r in levels}
    table = [
        [f'`{player}`', *(solved.get((name, player), '') for name in names)]
        for player in dict.fromkeys(row['first'] for row in levels)
    ]
    parts = []
    if bikes:
        headers = ['player', 'won/drawn/lost', 'mean goal']
        parts.append(_section('Lazerbike, against random players', bikes, '', headers, lines))
    if levels:
        text = 'How often a level was solved; where several play together, all are of one kind.'
        parts.append(_section('Sokoban', levels, text, ['player', *names], table))
    return '\n\n'.join(parts)


def _optimal(rows: list[Row]) -> str:
    lines = [
        [
            f'`{r["first"]}`',
            f'{100 * r["kept"] / r["done"]:.1f} %',
            f'{100 * r["best"] / r["done"]:.1f} %',
            f'{r["seconds"]:.1f} s',
        ]
        for r in rows
    ]
    return _section(
        f'Connect Four: moves that a perfect player would make, {_counts(rows)} positions',
        rows,
        'Positions after 12 to 29 random moves in which some moves keep the outcome and others do'
        ' not, judged by bitbully. *Best*: wins soonest, or loses latest, too.',
        ['player', 'keeps the outcome', 'best', 'processor time'],
        lines,
    )


def _speed(rows: list[Row]) -> str:
    lines = [
        [
            r['game'],
            r['first'],
            f'{r["ours"]:,.0f}',
            f'{r["open_spiel"]:,.0f}',
            f'{r["ours"] / r["open_spiel"]:.1f} x',
        ]
        for r in rows
    ]
    return _section(
        'Random games a second in tree search',
        rows,
        "Of processor time, beside open_spiel's MCTS in C++, in searches of the initial position"
        f' with {SEARCH:,} random games each, in turns; the best of each.',
        ['game', 'random games a leaf', 'ours', 'open_spiel', 'ratio'],
        lines,
    )


_TABLES: dict[str, Callable[[list[Row]], str]] = {
    'seed': _seed,
    'krieg': _krieg,
    'strong': _strong,
    'games': _games,
    'optimal': _optimal,
    'speed': _speed,
    'rave': _rave,
    'more': _more,
}
_HEADERS = ['first', 'second', 'matches', 'won/drawn/lost by the first', 'processor time']
_LEARNED = (
    'Players with a `time` have that many seconds of processor time for each move. What was'
    ' learned plays the best move of its network, at once, without search.'
)


def _cells(rows: list[Row], *, with_game: bool = False) -> list[list[str]]:
    return [
        [
            *([r['game']] if with_game else []),
            f'`{r["first"]}`',
            f'`{r["second"]}`',
            str(r['done']),
            _result(r),
            f'{r["seconds"]:.3g} s',
        ]
        for r in rows
    ]


def _time(row: Row) -> float:
    """Return the seconds that players by the clock have for a move; others come last."""
    found = re.search(r'\btime=([\d.]+)', f'{row["first"]} {row["second"]}')
    return float(found[1]) if found else float('inf')


def _result(row: Row) -> str:
    return '/'.join(map(str, row['result']))


def _counts(rows: list[Row]) -> str:
    found = sorted({row['done'] for row in rows})
    return f'{found[0]:,}' if len(found) == 1 else f'{found[0]:,} to {found[-1]:,}'


def _section(
    title: str, rows: list[Row], text: str, headers: Sequence[str], lines: list[list[str]]
) -> str:
    table = [f'| {" | ".join(headers)} |', f'|{"---|" * len(headers)}']
    table += [f'| {" | ".join(line)} |' for line in lines]
    parts = (f'### {title}', text, '\n'.join(table), _about(rows))
    return '\n\n'.join(part for part in parts if part)


def _about(rows: list[Row]) -> str:
    """Say when, of what, and beside how much else it was measured."""
    dates = sorted({date for row in rows for date in row['dates']})
    commits = list(dict.fromkeys(commit for row in rows for commit in row['commits']))
    low, high = min(row['load'][0] for row in rows), max(row['load'][1] for row in rows)
    load = f'{low}' if low == high else f'{low} to {high}'
    cores = max(row['cores'] for row in rows)
    told = f'*{" to ".join(dict.fromkeys((dates[0], dates[-1])))}, commit {", ".join(commits)};'
    told += f' {cores} cores with a load of {load}.*'
    runs = {(name, row['game']): words for row in rows for name, words in row['runs'].items()}
    learned = [f'`{name}` ({game}): {words}.' for (name, game), words in runs.items()]
    return ' '.join([told, *learned])
