"""What `ggp.py` has measured, as tables of the documentation."""

from __future__ import annotations

from parts import Row


def make_tables(rows: list[Row]) -> str:
    """Return a section for each part that was measured."""
    children = [row for row in rows if row['part'] == 'children']
    return _list_children(children) if children else 'Nothing was measured yet.'


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
