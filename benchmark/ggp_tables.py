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
        lines.append(f'{_start_of(row)} | {_seconds(row)} |')
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
        matches = sum(row['result'])
        goals = ', '.join(f'{goal / matches:.0f}' for goal in row['goals'])
        strikes = ', '.join(map(str, row['strikes']))
        lines.append(f'{_start_of(row)} | {goals} | {_seconds(row)} | {strikes} |')
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
    lines += [f'{_start_of(row)} |' for row in rows]
    return '\n'.join(lines)


def _start_of(row: Row) -> str:
    """Return the cells that all tables of matches begin with."""
    result = ' / '.join(map(str, row['result']))
    players = ' : '.join(f'`{name}`' for name in row['players'].split(' '))
    middle, low, high = row['interval']
    difference = f'{middle:+.2f} ({low:+.2f} to {high:+.2f})'
    return f'| {row["game"]} | {players} | {result} | {difference}'


def _seconds(row: Row) -> str:
    """Return the seconds of a decision of both."""
    pairs = zip(row['seconds'], row['moves'], strict=True)
    return ', '.join(f'{spent / max(1, moves):.2f}' for spent, moves in pairs)


def _list_puzzles(rows: list[Row]) -> str:
    by_game: dict[str, dict[bool, Row]] = {}
    for row in rows:
        by_game.setdefault(row['game'], {})['puzzles=false' in row['players']] = row
    both = [pair for pair in by_game.values() if len(pair) == 2 and _is_played(pair)]
    ahead = sum(_goal(pair[False]) > _goal(pair[True]) for pair in both)
    behind = sum(_goal(pair[False]) < _goal(pair[True]) for pair in both)
    played = [pair[False] for pair in by_game.values() if pair.get(False, {}).get('moves')]
    most = sum(_is_best(row) for row in played)
    played_of = (
        f'{len(played)} games of the corpus were measured so far with `mcts:time=1`; {most} of'
        ' them were played as well as can be: to the highest goal of the rules, or to one that is'
        ' proven to be the best there is.'
    )
    compared = (
        f' Of {len(both)} games played both ways, the search for lines was ahead in {ahead} and'
        f' behind in {behind}. Listed are those in which the two differ, or in which the best is'
        ' not known to be reached.'
        if both
        else ''
    )
    lines = [
        '### Public games of one player',
        '',
        f'{played_of} Without lines is `puzzles=false`, which searches as in games of several'
        ' players. 10 s before the first move, processor time of one thread'
        f' (`python benchmark/ggp.py puzzles --time 1`; {rows[0]["cpu"]}); what is measured'
        ' already is left out, so that a run can be stopped and continued.'
        f'{compared}',
        '',
        '| game | goal | without lines | highest goal of the rules | moves decided |'
        ' thousand states a second |',
        '|---' * 6 + '|',
    ]
    for game, pair in sorted(by_game.items(), key=lambda item: item[0].lower()):
        own, other = pair.get(False), pair.get(True)
        if own is None or not own.get('moves'):
            continue
        differs = other is not None and 'moves' in other and _goal(own) != _goal(other)
        if differs or not _is_best(own):
            without = '' if other is None else other.get('goal', '')
            rate = f'{own.get("rate", 0) / 1000:,.0f}'
            cells = [game, own['goal'], without, own.get('most', ''), own['moves'], rate]
            lines.append(f'| {" | ".join("-" if c is None else str(c) for c in cells)} |')
    if lines[-1].startswith('|---'):
        del lines[-3:]
    return '\n'.join(lines)


def _is_played(pair: dict[bool, Row]) -> bool:
    return all('moves' in row for row in pair.values())


def _goal(row: Row) -> int:
    """Return a goal; 0 for a match that did not come to an end, or had none."""
    return 0 if row['goal'] in (None, 255) else int(row['goal'])


def _is_best(row: Row) -> bool:
    """Tell whether nothing better is possible."""
    is_proven = row.get('proven', False) and row['goal'] == row['planned']
    return bool(row['goal'] == row.get('most') or is_proven)


_TABLES = {
    'children': _list_children,
    'alphabeta': _list_alphabeta,
    'matches': _list_matches,
    'foreign': _list_foreign,
    'variants': _list_variants,
    'puzzles': _list_puzzles,
}
