"""Measure our engines and others side by side: steps a second of random play, on one core.

    python benchmark/engines.py                    all games
    python benchmark/engines.py --quick            a short run
    python benchmark/engines.py --games othello --contestants circuit spiel
    python benchmark/engines.py --write-doc        and put the tables into doc/benchmarks.md

Every contestant runs in a process of its own, all on the same core; for each game they take turns,
several times over. Other programs (open_spiel, pgx) are optional; --peer-python names a Python
that has them, if it is not this one. Writes engines.json and, with matplotlib, engines.png.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from datetime import datetime, timezone
import json
import os
from pathlib import Path
import subprocess
import sys
import tempfile

from chart import draw
from contestants import ENTRIES, SINGLE, Entry
from machine import describe_machine
from measure import NotAvailableError
from process import Process
from report import to_json
from rows import ROOT, ROWS, Row
from tables import print_report, write_doc
from tournament import Measured, Plan, Tournament


def main() -> int:
    """Measure, print, draw and write."""
    options = _options()
    rows = [row for row in ROWS if not options.games or row.name in options.games]
    rows = [row for row in rows if row.path.is_file()]
    if not rows:
        print('the rules of none of these games are here', file=sys.stderr)
        return 2
    plan = Plan(options.seconds, options.rounds, options.core, sys.executable, options.peer_python)
    entries = [entry for entry in ENTRIES if entry.name in options.contestants]
    # circuit-search belongs to circuit, and so on.
    names = set() if options.no_single else set(options.contestants)
    single = [entry for entry in SINGLE if entry.name.partition('-')[0] in names]
    report: dict[str, object] = {
        'date': datetime.now(timezone.utc).isoformat(timespec='seconds'),
        'machine': describe_machine(),
        'settings': {'seconds': plan.seconds, 'rounds': plan.rounds, 'is_quick': options.quick},
        'kernels_seconds': None if options.quick else _first_start(plan),
        'games': to_json([(row, *_measure(row, entries, single, plan)) for row in rows]),
    }
    print_report(report)
    _write(report, options)
    return 0


def _measure(
    row: Row, entries: list[Entry], single_entries: list[Entry], plan: Plan
) -> tuple[dict[str, Measured], dict[str, Measured]]:
    """Return what all contestants reach on one game, and what ours reach on single states."""
    print(f'{row.name} …', file=sys.stderr, flush=True)
    with Tournament(row, plan) as games:
        for entry in entries:
            games.enter(entry)
        games.warm_up()
        games.sample()
        games.play()
        games.ask_facts()
    with Tournament(row, plan) as single:
        for entry in single_entries:
            single.enter(entry)
        single.warm_up()
        single.play()
    return games.measured, single.measured


def _first_start(plan: Plan) -> float | None:
    """Return the seconds until the first step where nothing was ever compiled, or None."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {'GDL_CACHE': folder, 'NUMBA_CACHE_DIR': folder}
        try:
            start = Process(
                ENTRIES[0], ROWS[0], plan.python, plan.core, environment, plan.patience
            )
            seconds = start.start_seconds + start.play(0.0).seconds
            start.close()
        except NotAvailableError:
            return None
    return round(seconds, 2)


def _write(report: dict[str, object], options: Namespace) -> None:
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / 'engines.json'
    path.write_text(json.dumps(report, indent=2) + '\n', 'utf-8')
    print(f'\nwrote {path}')
    picture = options.output / 'engines.png'
    if draw(path, picture) or _draw_elsewhere(options.peer_python, path, picture):
        print(f'wrote {picture}')
    else:
        print('no picture: matplotlib is not installed')
    if options.write_doc:
        page = ROOT / 'doc' / 'benchmarks.md'
        write_doc(page, report)
        print(f'wrote {page}')


def _draw_elsewhere(python: str, source: Path, target: Path) -> bool:
    """Draw with the Python of the peers: matplotlib may be there."""
    script = Path(__file__).with_name('chart.py')
    try:
        done = subprocess.run([python, script, source, target], check=False)
    except OSError:
        return False
    return done.returncode == 0


def _options() -> Namespace:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    names = [entry.name for entry in ENTRIES]
    games = [row.name for row in ROWS]
    parser.add_argument('--quick', action='store_true', help='short measurements, for a look')
    parser.add_argument(
        '--games', nargs='+', choices=games, metavar='GAME', help=f'some of: {", ".join(games)}'
    )
    parser.add_argument(
        '--contestants',
        nargs='+',
        choices=names,
        default=names,
        metavar='NAME',
        help=f'some of: {", ".join(names)}',
    )
    parser.add_argument(
        '--no-single', action='store_true', help='no measurements of single states'
    )
    parser.add_argument('--seconds', type=float, help='of one measurement (default: 2)')
    parser.add_argument('--rounds', type=int, help='measurements of each (default: 5)')
    parser.add_argument(
        '--core', type=int, default=_last_core(), help='the core; -1: any (default: the last)'
    )
    parser.add_argument(
        '--peer-python', default=sys.executable, metavar='PATH', help='a Python with the peers'
    )
    parser.add_argument('--output', type=Path, default=ROOT / 'doc' / 'benchmarks', metavar='DIR')
    parser.add_argument('--write-doc', action='store_true', help='update doc/benchmarks.md')
    options = parser.parse_args()
    options.seconds = options.seconds or (0.1 if options.quick else 2.0)
    options.rounds = options.rounds or (1 if options.quick else 5)
    return options


def _last_core() -> int:
    # Not every system can pin a process.
    return max(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else -1


if __name__ == '__main__':
    sys.exit(main())
