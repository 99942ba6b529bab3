"""What `ggp.py` has measured, as tables of the documentation."""

from __future__ import annotations

from parts import Row


def make_tables(rows: list[Row]) -> str:
    """Return a section for each part that was measured."""
    parts = {name: [row for row in rows if row['part'] == name] for name in _TABLES}
    return '\n\n'.join(_TABLES[name](found) for name, found in parts.items() if found)


def _list_children(rows: list[Row]) -> str:
    ways = list(rows[0]['rates'])
    lines = [
        '### All children of a state at once, thousands a second of processor time',
        '',
        'With legal moves, ends and goals of all children, but for "do and undo", which only plays'
        ' each move and takes it back (`python benchmark/ggp.py children`; medians;'
        f' {rows[0]["cpu"]}, load {min(row["load"] for row in rows)} to'
        f' {max(row["load"] for row in rows)}).',
        '',
        f'| game | {" | ".join(ways)} |',
        '|---' * (len(ways) + 1) + '|',
    ]
    for row in rows:
        rates = (f'{row["rates"][way] / 1000:,.0f}' for way in ways)
        lines.append(f'| {row["game"]} | {" | ".join(rates)} |')
    return '\n'.join(lines)


def _list_alphabeta(rows: list[Row]) -> str:
    lines = [
        '### Alpha-beta by families and child by child',
        '',
        'The same positions of random games to the same depth, without an evaluation; values agree'
        f' (`python benchmark/ggp.py alphabeta`; seconds of processor time; {rows[0]["cpu"]}).',
        '',
        '| game | depth | positions, agreeing | families: positions a second | seconds |'
        ' child by child: positions a second | seconds |',
        '|---' * 7 + '|',
    ]
    for row in rows:
        cells = [row['game'], row['players'], f'{row["positions"]}, {row["agree"]}']
        for nodes, seconds in zip(row['nodes'], row['seconds'], strict=True):
            cells += [f'{nodes / seconds:,.0f}', f'{seconds:.2f}']
        lines.append(f'| {" | ".join(map(str, cells))} |')
    return '\n'.join(lines)


def _list_matches(rows: list[Row]) -> str:
    lines = [
        "### Matches against OpenSpiel's MCTS bot at equal processor time, public games",
        '',
        'Its bot runs on our rules, with as many simulations as fit into the time of a move of'
        ' ours (`python benchmark/ggp.py matches`). Won, drawn, lost by us on both seats by turns;'
        ' the difference of the shares of wins and losses, and where it is with 95 % confidence;'
        f' seconds a move, ours and theirs ({rows[0]["cpu"]}).',
        '',
        '| game | players | won / drawn / lost | difference | seconds a move |',
        '|---' * 5 + '|',
    ]
    for row in rows:
        middle, low, high = row['interval']
        each = [
            f'{spent / max(1, moves):.2f}'
            for spent, moves in zip(row['seconds'], row['moves'], strict=True)
        ]
        result = ' / '.join(map(str, row['result']))
        players = ' : '.join(f'`{name}`' for name in row['players'].split(' '))
        lines.append(
            f'| {row["game"]} | {players} | {result} | {middle:+.2f} ({low:+.2f} to {high:+.2f})'
            f' | {", ".join(each)} |'
        )
    return '\n'.join(lines)


def _list_foreign(rows: list[Row]) -> str:
    lines = [
        '### Matches against GGP players of others, public games',
        '',
        'Over HTTP, both seats by turns; of a game for one player, each plays alone and the goals'
        ' are compared. Only one of the two runs at a time'
        ' (`python benchmark/ggp.py foreign --foreign NAME=URL --command …`). Won, drawn, lost by'
        ' us; the difference of the shares of wins and losses, and where it is with 95 %'
        ' confidence; mean goals, and seconds of processor time for a decision, ours and theirs'
        f' ({rows[0]["cpu"]}).',
        '',
        '| game | players | won / drawn / lost | difference | goals | seconds | strikes |',
        '|---' * 7 + '|',
    ]
    for row in rows:
        middle, low, high = row['interval']
        matches = sum(row['result'])
        goals = ', '.join(f'{goal / matches:.0f}' for goal in row['goals'])
        seconds = ', '.join(
            f'{spent / max(1, moves):.2f}'
            for spent, moves in zip(row['seconds'], row['moves'], strict=True)
        )
        result = ' / '.join(map(str, row['result']))
        players = ' : '.join(f'`{name}`' for name in row['players'].split(' '))
        strikes = ', '.join(map(str, row['strikes']))
        lines.append(
            f'| {row["game"]} | {players} | {result} | {middle:+.2f} ({low:+.2f} to {high:+.2f})'
            f' | {goals} | {seconds} | {strikes} |'
        )
    return '\n'.join(lines)


def _list_variants(rows: list[Row]) -> str:
    lines = [
        '### Our players against each other at equal processor time',
        '',
        'Won, drawn, lost by the first, on both seats by turns; the difference of the shares of'
        ' wins and losses, and where it is with 95 % confidence'
        f' (`python benchmark/ggp.py variants --players …`; {rows[0]["cpu"]}).',
        '',
        '| game | players | won / drawn / lost | difference |',
        '|---' * 4 + '|',
    ]
    for row in rows:
        result = ' / '.join(map(str, row['result']))
        players = ' : '.join(f'`{name}`' for name in row['players'].split(' '))
        middle, low, high = row['interval']
        where = f'{middle:+.2f} ({low:+.2f} to {high:+.2f})'
        lines.append(f'| {row["game"]} | {players} | {result} | {where} |')
    return '\n'.join(lines)


_TABLES = {
    'children': _list_children,
    'alphabeta': _list_alphabeta,
    'matches': _list_matches,
    'foreign': _list_foreign,
    'variants': _list_variants,
}
