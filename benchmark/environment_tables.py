"""What the environment delivers, as tables and as a picture."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

_BEGIN = '<!-- environment: written by benchmark/environment.py -->'
_END = '<!-- environment: end -->'

_COLOURS = {'tic-tac-toe': '#0b5fa5', 'connect four': '#4d9bd6', 'chess': '#c8541a'}

Row: TypeAlias = dict[str, Any]
Table: TypeAlias = tuple[str, list[str], list[list[str]]]


def make_tables(rows: list[Row]) -> list[Table]:
    """Return the tables of all parts that were measured."""
    makers = {
        'peers': _peers,
        'hidden': _hidden,
        'adapters': _adapters,
        'scaling': _scaling,
    }
    tables = []
    for part, make in makers.items():
        found = [row for row in rows if row['part'] == part]
        if found:
            tables += make(found)
    return tables


def order_of(row: Row) -> tuple[int, int]:
    """Return where a row belongs among those that are kept: by part, many lanes first."""
    order = ['peers', 'hidden', 'adapters', 'scaling']
    return order.index(row['part']), -row['lanes'] if row['part'] == 'peers' else row['lanes']


def print_tables(tables: Iterable[Table]) -> None:
    """Print tables as plain columns."""
    for title, headers, lines in tables:
        print(f'\n{title}\n')
        widths = [max(map(len, column)) for column in zip(headers, *lines, strict=True)]
        for line in (headers, *lines):
            cells = [line[0].ljust(widths[0])]
            cells += [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
            print('  '.join(cells).rstrip())


def write_page(page: Path, rows: list[Row], picture: Path) -> None:
    """Put the tables between the marks of a page. Raises ValueError if it has none."""
    before, found, rest = page.read_text('utf-8').partition(_BEGIN)
    _, ended, after = rest.partition(_END)
    if not found or not ended:
        raise ValueError(f'{page} has no place for results: {_BEGIN} … {_END}')
    parts = [_describe(rows)]
    for title, headers, lines in make_tables(rows):
        table = [_line(headers), _line(['---', *['---:'] * (len(headers) - 1)])]
        parts += [f'### {title}', '\n'.join([*table, *map(_line, lines)])]
    if picture.exists():
        parts.append(f'![Cost and memory of a lane]({picture.parent.name}/{picture.name})')
    page.write_text(before + '\n\n'.join([_BEGIN, *parts, _END]) + after, 'utf-8')


def draw(rows: list[Row], target: Path) -> bool:
    """Draw cost and memory against lanes; return False where matplotlib is not installed."""
    try:
        import matplotlib as mpl
    except ImportError:
        return False
    mpl.use('Agg')
    from matplotlib import pyplot

    figure, (cost, memory) = pyplot.subplots(1, 2, figsize=(10, 4.2), dpi=140)
    found = [row for row in rows if row['part'] == 'scaling' and 'rate' in row['ours']]
    for game in dict.fromkeys(row['game'] for row in found):
        own = sorted((row for row in found if row['game'] == game), key=lambda row: row['lanes'])
        style = {'marker': 'o', 'label': game, 'color': _COLOURS.get(game)}
        cost.plot(
            [row['lanes'] for row in own], [1e9 / row['ours']['rate'] for row in own], **style
        )
        held = [row for row in own if _memory(row['ours'])]
        memory.plot(
            [row['lanes'] for row in held], [row['ours']['bytes_a_lane'] for row in held], **style
        )
    cost.set(ylabel='ns of CPU a lane-step', title='Cost')
    memory.set(ylabel='bytes a lane', title='Memory')
    for axes in (cost, memory):
        lanes = sorted({row['lanes'] for row in found if axes is cost or _memory(row['ours'])})
        axes.set(xscale='log', yscale='log', xlabel='lanes')
        axes.set_xticks(lanes, [f'{n:,}' for n in lanes], rotation=40)
        axes.minorticks_off()
        axes.grid(visible=True, alpha=0.3)
    cost.legend()
    figure.tight_layout()
    figure.savefig(target)
    pyplot.close(figure)
    return True


# ---- tables of the parts


def _peers(rows: list[Row]) -> list[Table]:
    lines = []
    for row in rows:
        ours, pgx = row['ours'], row['pgx']
        is_most = row['lanes'] == max(r['lanes'] for r in rows if r['game'] == row['game'])
        lines.append(
            [
                row['game'],
                f'{row["lanes"]:,}',
                _millions(ours),
                _millions(pgx),
                _divide(_rate(ours), _rate(pgx), '{:.3g}'),
                str(row['bar']) if row['bar'] and is_most else '',
                _divide(pgx.get('own_agent_rate'), 1e6, '{:.3g}'),
                _divide(_rate(ours), pgx.get('own_agent_rate'), '{:.3g}'),
                _divide(_steps(ours), 1, '{:.2f}'),
                ours.get('observation', '-'),
                pgx.get('observation', '-'),
                row['rules_differ'] or 'the same',
            ]
        )
    headers = ['game', 'lanes', 'ours', 'pgx', 'ratio', 'bar']
    headers += ['pgx with its own agent', 'ratio', 'steps a lane-step']
    headers += ['observation, ours', 'pgx', 'rules']
    return [('Million lane-steps per CPU second, beside pgx', headers, lines)]


def _hidden(rows: list[Row]) -> list[Table]:
    lines = []
    for row in rows:
        hidden, beside = row['ours'], row['open']
        lines.append(
            [
                row['game'],
                *_cost(hidden),
                row['beside'],
                *_cost(beside),
                _divide(_rate(beside), _rate(hidden), '{:.2f}'),
                _divide(_work(hidden), _work(beside), '{:.2f}'),
            ]
        )
    each = ['operations', 'steps a lane-step', 'ns a lane-step']
    headers = ['game', *each, 'open game', *each, 'ratio of times', 'for each operation']
    return [(f'Chance and hidden facts, {rows[0]["lanes"]:,} lanes', headers, lines)]


def _work(one: Row) -> float:
    """Return the time of an operation of the tapes: lane-steps differ in steps of the game."""
    steps = _rate(one) * _steps(one) * float(one.get('operations', 0))
    return 1 / steps if steps else 0.0


def _adapters(rows: list[Row]) -> list[Table]:
    lines = []
    for row in rows:
        lanes, vector, one, parallel = (
            row[name] for name in ('ours', 'gymnasium', 'one_lane', 'pettingzoo')
        )
        # In steps of the game: a step of Gymnasium plays the moves of opponents, too.
        own = _rate(lanes) * _steps(lanes)
        lines.append(
            [
                row['game'],
                _divide(own, 1e6, '{:.3g}'),
                _divide(_rate(vector), 1e6, '{:.3g}'),
                _divide(_rate(vector), own, '{:.0%}'),
                _divide(1e6, _rate(one), '{:.1f}'),
                _divide(1e6, _rate(parallel), '{:.1f}'),
                _divide(_rate(parallel), _rate(one), '{:.0%}'),
            ]
        )
    headers = [
        'game',
        'environment, M game steps/CPU s',
        'Gymnasium vector',
        'share',
        'one lane, µs a tick',
        'PettingZoo parallel, µs a step',
        'share',
    ]
    return [(f'Adapters, {rows[0]["lanes"]:,} lanes; and one lane in process', headers, lines)]


def _scaling(rows: list[Row]) -> list[Table]:
    lanes = sorted({row['lanes'] for row in rows})
    by_place = {(row['game'], row['lanes']): row for row in rows}
    games = list(dict.fromkeys(row['game'] for row in rows))
    cost = [
        [game, *(_divide(1e9, _rate(_ours(by_place, game, n)), '{:,.0f}') for n in lanes)]
        for game in games
    ]
    # Few lanes have none: what a game needs once would outweigh them.
    many = sorted({row['lanes'] for row in rows if _memory(row['ours'])})
    memory = [
        [game, *(_divide(_memory(_ours(by_place, game, n)), 1, '{:,.0f}') for n in many)]
        for game in games
    ]
    by_lanes = ['game', *(f'{n:,}' for n in lanes)]
    tables = [('Nanoseconds of CPU a lane-step, by lanes', by_lanes, cost)]
    if many:
        by_lanes = ['game', *(f'{n:,}' for n in many)]
        tables.append(('Bytes a lane, by lanes', by_lanes, memory))
    return tables


def _describe(rows: list[Row]) -> str:
    """Return dates, machines and versions; usually one line."""
    lines = []
    for row in rows:
        machine = row['machine']
        lines.append(
            f'**{row["date"]}** on {machine["cpu"]} ({machine["cores"]} cores, '
            f'{machine["memory_gb"]} GB), Python {machine["python"]}: medians of {row["rounds"]} '
            f'measurements of {row["seconds"]:g} s of processor time, in turns, on one core.'
        )
    peers = [row['pgx'] for row in rows if row['part'] == 'peers']
    versions = sorted({pgx['version'] for pgx in peers if 'version' in pgx})
    if peers:
        lines.append(f'Beside {"; ".join(versions)}.' if versions else 'pgx was not installed.')
    loads = [row['machine']['load'] for row in rows]
    lines.append(f'Load of the machine: {min(loads)} to {max(loads)}.')
    return '\n'.join(dict.fromkeys(lines))


def _ours(by_place: dict[tuple[str, int], Row], game: str, lanes: int) -> Row:
    found: Row = by_place.get((game, lanes), {}).get('ours', {})
    return found


def _memory(result: Row) -> float:
    return float(result.get('bytes_a_lane', 0.0))


def _rate(result: Row) -> float:
    return float(result.get('rate', 0.0))


def _steps(result: Row) -> float:
    return float(result.get('steps', 0.0))


def _cost(result: Row) -> list[str]:
    operations = result.get('operations')
    return [
        f'{operations:,}' if operations else '-',
        _divide(_steps(result), 1, '{:.2f}'),
        _divide(1e9, _rate(result), '{:,.0f}'),
    ]


def _millions(result: Row) -> str:
    if 'not installed' in result.get('missing', ''):
        return 'not installed'
    return _divide(_rate(result), 1e6, '{:.3g}')


def _divide(value: float, by: float, form: str) -> str:
    """Return a quotient as text; '-' where something was not measured."""
    return form.format(value / by) if value and by else '-'


def _line(cells: Iterable[str]) -> str:
    return f'| {" | ".join(cells)} |'
