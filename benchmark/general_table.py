"""Tables of `general.py` for the page of benchmarks."""

from __future__ import annotations

from pathlib import Path

from machine import describe_machine
from parts import Row

PAGE = Path(__file__).resolve().parents[1] / 'doc' / 'benchmarks.md'
BEGIN = '<!-- general: written by benchmark/general.py -->'
END = '<!-- general: end -->'


def write_doc(rows: list[Row], page: Path = PAGE) -> None:
    """Write tables into the page of benchmarks."""
    head, _, rest = page.read_text(encoding='utf-8').partition(BEGIN)
    tail = rest.partition(END)[2]
    page.write_text(f'{head}{BEGIN}\n\n{to_text(rows)}\n\n{END}{tail}', encoding='utf-8')


def to_text(rows: list[Row]) -> str:
    """Return all tables."""
    machine = describe_machine()
    found = [
        f'On {machine["cpu"]}, {machine["cores"]} cores, not alone on it: seconds are of CPU.'
    ]
    speed = [row for row in rows if row['part'] == 'selfplay']
    if speed:
        found.append(_speed(speed))
    judged = [row for row in rows if row['part'] == 'connect_four']
    if judged:
        found.append(_positions(judged))
    played = [row for row in rows if 'mcts' in row]
    if played:
        found.append(_matches(played))
    return '\n\n'.join(found)


def _speed(rows: list[Row]) -> str:
    lines = [
        '**AlphaZero, 600 games of self-play on Connect Four, 48 playouts a move**; *with caps* is'
        ' by the defaults: half of the moves have 8 playouts, half of the games begin with random'
        ' moves',
        '',
        '| seed | with caps: CPU s | of it learning | without: CPU s | of it learning |',
        '|---:|---:|---:|---:|---:|',
    ]
    for row in rows:
        parts = [row[key] for key in ('seconds', 'learning', 'full_seconds', 'full_learning')]
        lines.append(f'| {row["seed"]} | ' + ' | '.join(f'{part:.1f}' for part in parts) + ' |')
    return '\n'.join(lines)


def _positions(rows: list[Row]) -> str:
    lines = [
        '**AlphaZero on Connect Four**: positions of 14 to 26 random plies that two-ply tactics do'
        ' not decide, in which the move keeps the outcome (bitbully)',
        '',
        '| seed | episodes | trained, CPU s | player | CPU ms a position | positions | kept |',
        '|---:|---:|---:|---|---:|---:|---:|',
    ]
    for row in rows:
        for name in (name for name in row if name.startswith(('alphazero_', 'mcts_'))):
            found = row[name]
            seconds = row['cpu_seconds'] or '' if name.startswith('alphazero') else ''
            lines.append(
                f'| {row["seed"]} | {row["episodes"]:,} | {seconds} | {name.partition("_")[0]}'
                f' | {found["cpu_ms"]} | {found["positions"]}'
                f' | {found["kept"] / found["positions"]:.1%} |'
            )
    return '\n'.join(lines)


def _matches(rows: list[Row]) -> str:
    lines = [
        '**AlphaZero against `mcts`**, with as much processor time a move for both',
        '',
        '| game | seed | episodes | trained, CPU s | ms a move | seat | won | drawn | lost |',
        '|---|---:|---:|---:|---:|---|---:|---:|---:|',
    ]
    for row in rows:
        seconds = row['cpu_seconds'] or ''
        for seat, (won, drawn, lost) in row['mcts'].items():
            lines.append(
                f'| {row["game"]} | {row["seed"]} | {row["episodes"]:,} | {seconds}'
                f' | {row["move_ms"]:.0f} | {seat} | {won} | {drawn} | {lost} |'
            )
    return '\n'.join(lines)
