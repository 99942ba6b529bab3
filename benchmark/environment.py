"""Measure what the environment delivers to a learner per CPU second of one core, beside pgx.

    python benchmark/environment.py                         all parts, tables
    python benchmark/environment.py --write-doc             and into doc/benchmarks.md, with a plot
    python benchmark/environment.py peers --games chess --peer-python pgx/bin/python
    python benchmark/environment.py --lanes 1024 --seconds 0.5 --rounds 1

Parts: `peers` (beside pgx), `hidden` (games with chance or hidden facts beside open games of about
the same size), `adapters` (Gymnasium, PettingZoo, one lane), `scaling` (cost and memory against
the number of lanes). A lane-step delivers, as arrays, one decision of one lane: observation, legal
mask, then reward and end; a compiled random agent answers.

Every contestant is a process of its own, all on the same core; they take turns. pgx is optional;
--peer-python names a Python that has it, if it is not this one.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import date
import os
from pathlib import Path
from statistics import median
import sys
from typing import Any

from contestants import LANES, ONE_LANE, PARALLEL, PGX_LANES, VECTOR, Entry
from environment_tables import draw, make_tables, order_of, print_tables, write_page
from machine import describe_machine
from parts import KeptRows, make_parser
from rows import HIDDEN, ROOT, Row, row_named
from tournament import Measured, Plan, Tournament

# Games that pgx has, and how many times its rate ours is meant to reach.
BARS = {'tic-tac-toe': 10, 'connect four': 10, 'othello': 30, 'chess': 300}
SAME_RULES = 'chess, threefold repetition'
SCALED = ('tic-tac-toe', 'connect four', 'chess')
SCALE = (1, 8, 64, 512, 4_096, 8_192, 65_536)
PARTS = ('peers', 'hidden', 'adapters', 'scaling')

# Everything that is measured in turns: contestants by game.
Group = list[tuple[Row, list[Entry]]]
Found = dict[tuple[str, str], Measured]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print and write."""
    options = _options(argv)
    plan = Plan(
        options.seconds,
        options.rounds,
        options.core,
        sys.executable,
        options.peer_python,
        measures_start=False,
    )
    kept = (
        KeptRows(options.output / 'environment.json', _key, order_of) if options.output else None
    )
    rows = []
    for part in options.parts:
        for row in _PARTS[part](options, plan):
            described = {'part': part} | row | _describe(options)
            rows.append(described)
            if kept is not None:
                # What is measured stays, though a run may be stopped.
                kept.keep(described)
    print_tables(make_tables(rows))
    if kept is not None:
        _write(kept.read(), options)
    return 0


# ---- parts


def _measure_peers(options: Namespace, plan: Plan) -> Iterator[dict[str, Any]]:
    """Yield one row for each game and number of lanes."""
    for name in _chosen(options, (*BARS, SAME_RULES)):
        row = row_named(name)
        entries = [
            entry.with_lanes(lanes) for lanes in options.lanes for entry in (LANES, PGX_LANES)
        ]
        found = _measure([(row, entries)], plan)
        for lanes in options.lanes:
            ours = found[name, LANES.with_lanes(lanes).name]
            theirs = found[name, PGX_LANES.with_lanes(lanes).name]
            yield {
                'game': name,
                'lanes': lanes,
                'bar': BARS.get(name),
                'rules_differ': row.pgx_differs,
                'ours': _to_json(ours),
                'pgx': _to_json(theirs),
            }


def _measure_hidden(options: Namespace, plan: Plan) -> Iterator[dict[str, Any]]:
    """Yield one row for each game that is not open, with an open one beside it."""
    names = _chosen(options, [hidden.name for hidden, _ in HIDDEN])
    lanes = options.lanes[0]
    entry = LANES.with_lanes(lanes)
    for hidden, beside in HIDDEN:
        if hidden.name in names:
            found = _measure([(hidden, [entry]), (beside, [entry])], plan)
            yield {
                'game': hidden.name,
                'lanes': lanes,
                'beside': beside.name,
                'ours': _to_json(found[hidden.name, entry.name]),
                'open': _to_json(found[beside.name, entry.name]),
            }


def _measure_adapters(options: Namespace, plan: Plan) -> Iterator[dict[str, Any]]:
    """Yield one row for each game: lanes and one lane, each bare and behind an adapter."""
    lanes = options.lanes[0]
    entries = {
        'ours': LANES.with_lanes(lanes),
        'gymnasium': VECTOR.with_lanes(lanes),
        'one_lane': ONE_LANE,
        'pettingzoo': PARALLEL,
    }
    for name in _chosen(options, BARS):
        found = _measure([(row_named(name), list(entries.values()))], plan)
        results = {key: _to_json(found[name, entry.name]) for key, entry in entries.items()}
        yield {'game': name, 'lanes': lanes} | results


def _measure_scaling(options: Namespace, plan: Plan) -> Iterator[dict[str, Any]]:
    """Yield one row for each game and number of lanes."""
    for name in _chosen(options, SCALED):
        entries = [LANES.with_lanes(lanes) for lanes in SCALE]
        found = _measure([(row_named(name), entries)], plan)
        for entry in entries:
            yield {
                'game': name,
                'lanes': entry.lanes,
                'ours': _to_json(found[name, entry.name]),
            }


_PARTS = dict(
    zip(
        PARTS,
        (_measure_peers, _measure_hidden, _measure_adapters, _measure_scaling),
        strict=True,
    )
)


# ---- measuring


def _measure(group: Group, plan: Plan) -> Found:
    """Measure the contestants of some games in turns."""
    print(f'{", ".join(row.name for row, _ in group)} …', file=sys.stderr, flush=True)
    with ExitStack() as stack:
        games = [stack.enter_context(Tournament(row, plan)) for row, _ in group]
        for game, (_, entries) in zip(games, group, strict=True):
            for entry in entries:
                game.enter(entry)
            game.warm_up()
        for _ in range(plan.rounds):
            for game in games:
                game.play_round()
        for game in games:
            game.ask_facts()
    return {
        (game.row.name, name): measured
        for game in games
        for name, measured in game.measured.items()
    }


def _to_json(measured: Measured) -> dict[str, Any]:
    if measured.missing:
        return {'missing': measured.missing}
    rates = [run.rate for run in measured.runs]
    return {'rates': [round(rate) for rate in rates], 'rate': median(rates)} | measured.facts


def _describe(options: Namespace) -> dict[str, Any]:
    """Return when, where and how long a row was measured."""
    return {
        'date': f'{date.today()}',
        'machine': describe_machine(),
        'seconds': options.seconds,
        'rounds': options.rounds,
    }


def _key(row: dict[str, Any]) -> tuple[str, str, int]:
    return row['part'], row['game'], row['lanes']


def _write(rows: list[dict[str, Any]], options: Namespace) -> None:
    print(f'\nwrote {options.output / "environment.json"}')
    picture = options.output / 'environment.png'
    if not any(row['part'] == 'scaling' for row in rows):
        pass
    elif draw(rows, picture):
        print(f'wrote {picture}')
    else:
        print('no picture: matplotlib is not installed')
    if options.write_doc:
        page = ROOT / 'doc' / 'benchmarks.md'
        write_page(page, rows, picture)
        print(f'wrote {page}')


# ---- the command line


def _chosen(options: Namespace, names: Iterable[str]) -> list[str]:
    return [name for name in names if not options.games or name in options.games]


def _options(argv: Sequence[str] | None) -> Namespace:
    games = [*BARS, SAME_RULES, *(hidden.name for hidden, _ in HIDDEN)]
    parser = make_parser(str(__doc__), PARTS)
    parser.add_argument(
        '--games', nargs='+', choices=games, metavar='GAME', help=f'some of: {", ".join(games)}'
    )
    parser.add_argument(
        '--lanes',
        nargs='+',
        type=int,
        default=[8_192, 1_024],
        metavar='N',
        help='beside pgx; the other parts but `scaling` take the first (default: 8192 1024)',
    )
    parser.add_argument('--seconds', type=float, default=2.0, help='of one measurement')
    parser.add_argument('--rounds', type=int, default=5, help='measurements of each')
    parser.add_argument(
        '--core', type=int, default=_last_core(), help='the core; -1: any (default: the last)'
    )
    parser.add_argument(
        '--peer-python', default=sys.executable, metavar='PATH', help='a Python with pgx'
    )
    parser.add_argument(
        '--output',
        type=Path,
        metavar='DIR',
        help='write environment.json and environment.png (with --write-doc: doc/benchmarks)',
    )
    options = parser.parse_args(argv)
    if wrong := [name for name in options.parts if name not in PARTS]:
        parser.error(f'no part {wrong[0]!r}; parts: {", ".join(PARTS)}')
    if min(options.lanes) < 1 or options.rounds < 1 or options.seconds <= 0:
        parser.error('--lanes, --rounds and --seconds must be above 0')
    if options.write_doc and options.output:
        parser.error('--write-doc writes into doc/benchmarks: leave out --output')
    options.parts = options.parts or list(PARTS)
    if options.write_doc:
        options.output = ROOT / 'doc' / 'benchmarks'
    return options


def _last_core() -> int:
    # Not every system can pin a process.
    return max(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else -1


if __name__ == '__main__':
    sys.exit(main())
