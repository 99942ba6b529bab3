"""Results of the simulated arm: kept as rows, and written as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
import json
from typing import Any

from doc_parts import write_part
from rows import ROOT

from gdl_env.environment.score import interval
from gdl_env.robot.physics.table_camera import PictureNoise

Row = Mapping[str, Any]
_FILE = ROOT / 'doc' / 'benchmarks' / 'arm.json'
_TROUBLE = ('slips', 'blunders', 'knocks')


def tell(row: Row) -> None:
    """Print a row."""
    print(', '.join(f'{name} {value}' for name, value in row.items() if value != ''), flush=True)


def keep(what: str, told: Row, counts: Mapping[str, float]) -> None:
    """Add a row; it replaces one of the same options and seed."""
    rows = _read()
    others = [row for row in rows.get(what, []) if any(row[name] != told[name] for name in told)]
    # Each row on a line of its own.
    rows[what] = [*others, {**told, **{k: round(v, 2) for k, v in counts.items()}}]
    parts = []
    for name, found in sorted(rows.items()):
        lines = ',\n  '.join(map(json.dumps, found))
        parts.append(f' {json.dumps(name)}: [\n  {lines}\n ]')
    _FILE.write_text('{\n' + ',\n'.join(parts) + '\n}\n', 'utf-8')


def write_report() -> None:
    """Write the tables of doc/robots.md."""
    rows = _read()
    text = f'{_games(rows.get("games", []))}\n\n{_pictures(rows.get("pictures", []))}'
    write_part(text, '<!-- arm -->', '<!-- end of arm -->', 'robots.md')


def _read() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    if _FILE.exists():
        found = json.loads(_FILE.read_text('utf-8'))
    return found


def _games(rows: Sequence[Row]) -> str:
    heads = (
        'game, the arm plays, trouble, games, to the end, moves, wrong squares,'
        ' moves of the hand recognised, disturbed, told, put right by the arm, recovered,'
        ' stopped, motions a minute'
    )
    lines = []
    for (game, agent, trouble), found in _group(rows, _describe_games):
        pace = 60 * _sum(found, 'motions') / max(1e-9, _sum(found, 'arm_seconds'))
        played = ('games', 'finished', 'moves', 'wrong_squares')
        counts = [f'{_sum(found, name):,.0f}' for name in played]
        seen = f'{_sum(found, "recognised"):,.0f} of {_sum(found, "shown"):,.0f}'
        names = ('disturbed', 'told', 'righted', 'recovered', 'stopped')
        troubles = [f'{_sum(found, name):,.0f}' for name in names]
        lines.append([game, agent, trouble, *counts, seen, *troubles, f'{pace:.1f}'])
    return _table(heads.split(', '), lines)


def _describe_games(row: Row) -> tuple[str, str, str]:
    trouble = ', '.join(f'{name} {row[name]:g}' for name in _TROUBLE if row[name])
    return row['game'], row['agent'] or 'random', trouble or 'none'


def _pictures(rows: Sequence[Row]) -> str:
    heads = (
        'game, noise, moves, recognised, share (95 % interval), taken for another, told,'
        ' pictures a move, failures noticed'
    )
    lines = []
    usual = [row for row in rows if row['noise'] == PictureNoise().pixels]
    groups = [*_group(rows, lambda row: (row['game'], row['noise']))]
    for (game, noise), found in [*groups, (('**all, by default**', PictureNoise().pixels), usual)]:
        moves, right = _sum(found, 'moves'), _sum(found, 'recognised')
        low, high = interval(int(right), int(moves))
        share = f'{right / max(1, moves):.2%} ({low:.2%} to {high:.2%})'
        others = [f'{_sum(found, name):,.0f}' for name in ('mistaken', 'told')]
        pace = f'{_sum(found, "pictures") / max(1, moves):.2f}'
        failures = f'{_sum(found, "noticed"):,.0f} of {_sum(found, "failures"):,.0f}'
        counts = [f'{noise:g}', f'{moves:,.0f}', f'{right:,.0f}', share]
        lines.append([game, *counts, *others, pace, failures])
    return _table(heads.split(', '), lines)


def _group(
    rows: Iterable[Row], key: Callable[[Row], tuple[Any, ...]]
) -> list[tuple[tuple[Any, ...], list[Row]]]:
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return sorted(found.items())


def _sum(rows: Iterable[Row], name: str) -> float:
    return float(sum(row[name] for row in rows))


def _table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rows = [heads, ['---'] * len(heads), *lines]
    return '\n'.join(f'| {" | ".join(row)} |' for row in rows)
