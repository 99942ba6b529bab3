"""Let players play each other, and measure what search costs.

python benchmark/arena.py                     all parts
python benchmark/arena.py seed krieg          some parts
python benchmark/arena.py strong --learned runs/connect_four/rainbow-selfplay-1
python benchmark/arena.py strong --at 0.1=100 1=10 --budget 600
python benchmark/arena.py more --again        measure again instead of continuing
python benchmark/arena.py --write-doc         write what was measured so far

Every result is kept in doc/benchmarks/arena.json as it comes: a run that is stopped loses at most
the piece it is at, and the next one continues from there.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from datetime import datetime, timezone
from functools import lru_cache
from multiprocessing import get_context
import os
from pathlib import Path
import subprocess
from time import monotonic

from arena_cells import Cell, Fairness, Match, add_rows, has_clock
from arena_players import learned_players
from arena_positions import Positions
from arena_speed import Speed
from arena_tables import write_doc
from parts import KeptRows, Row, make_parser, read_options

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / 'doc' / 'benchmarks' / 'arena.json'
DOC = ROOT / 'doc' / 'benchmarks.md'
_SIMPLE = ('legal', 'random', 'lookahead:depth=1', 'lookahead', 'tactical', 'alphabeta:depth=4')
_LEVELS = ('warehouse', 'causeway', 'together')


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, and keep the results."""
    parser = make_parser(__doc__ or '', PARTS)
    parser.add_argument('--quick', action='store_true', help='a tenth of the matches')
    parser.add_argument('--games', type=int, metavar='N', help='matches a cell, by no clock')
    parser.add_argument(
        '--at',
        nargs='+',
        type=_read_pair,
        metavar='TIME=N',
        help='players by the clock: seconds for a move, and how many matches a cell'
        ' (strong: 0.1=100 1=10; games: 0.1=20)',
    )
    parser.add_argument(
        '--learned', nargs='+', type=Path, default=[], metavar='RUN', help='runs to play, too'
    )
    parser.add_argument(
        '--budget', type=float, default=float('inf'), metavar='S', help='seconds to measure'
    )
    parser.add_argument(
        '--jobs',
        type=int,
        default=1,
        metavar='N',
        help='processes, except for speed',
    )
    parser.add_argument(
        '--only', choices=('clock', 'counted'), help='players by the clock, or all others'
    )
    parser.add_argument('--again', action='store_true', help='forget older results of the parts')
    parser.add_argument('--results', type=Path, default=RESULTS, help='where they are kept')
    options = read_options(parser, argv, PARTS)
    kept = KeptRows(options.results, row_key)
    if options.again:
        kept.forget(lambda row: row['part'] in options.parts)
    learned = learned_players(options.learned)
    cells = [cell for part in options.parts for cell in PARTS[part](part, options, learned)]
    if options.only:
        cells = [c for c in cells if has_clock(*c.key) == (options.only == 'clock')]
    Measuring(cells, kept, monotonic() + options.budget).run(options.jobs)
    if options.write_doc:
        write_doc(DOC, kept.read())


def row_key(row: Row) -> tuple[str, ...]:
    """Return what tells rows from each other."""
    return row['part'], row['game'], row['first'], row['second']


class Measuring:
    """Continues with the cell that is furthest behind, until all are done or time is up."""

    def __init__(self, cells: list[Cell], kept: KeptRows, end: float) -> None:
        self._cells = cells
        self._kept = kept
        self._end = end
        self._done = {cell.key: self._count(cell) for cell in cells}

    def run(self, jobs: int) -> None:
        """Measure in so many processes; speed in this one alone."""
        if jobs > 1:
            self._share([cell for cell in self._cells if not cell.is_alone], jobs)
        while cell := self._next(self._cells):
            self._add(cell, cell.measure(self._done[cell.key]))

    def _count(self, cell: Cell) -> int:
        row = self._kept.find(cell.key)
        return row['done'] if row and row['runs'] == cell.runs else 0

    def _share(self, cells: list[Cell], jobs: int) -> None:
        with ProcessPoolExecutor(jobs, get_context('spawn')) as pool:
            busy: dict[Future[Row], Cell] = {}
            while True:
                free = [cell for cell in cells if cell not in busy.values()]
                while len(busy) < jobs and (cell := self._next(free)):
                    busy[pool.submit(cell.measure, self._done[cell.key])] = cell
                    free.remove(cell)
                if not busy:
                    return
                for future in wait(busy, return_when=FIRST_COMPLETED).done:
                    self._add(busy.pop(future), future.result())

    def _next(self, cells: list[Cell]) -> Cell | None:
        left = [cell for cell in cells if self._done[cell.key] < cell.wanted]
        if not left or monotonic() >= self._end:
            return None
        return min(left, key=lambda cell: self._done[cell.key] / cell.wanted)

    def _add(self, cell: Cell, piece: Row) -> None:
        before, self._done[cell.key] = self._done[cell.key], self._count(cell)
        if self._done[cell.key] != before:
            # Another process was quicker, with the very same matches.
            return
        # What was learned by another run is not added to, but replaced.
        old = self._kept.find(cell.key) if before else None
        part, game, first, second = cell.key
        row: Row = {'part': part, 'game': game, 'first': first, 'second': second}
        # Tables have them in this order, however they come.
        row['place'] = [c for c in self._cells if c.key[0] == part].index(cell)
        row |= {**(add_rows(old, piece) if old else piece), **_describe(old or {})}
        self._kept.keep({**row, 'runs': cell.runs})
        self._done[cell.key] = row['done']
        told = {name: row[name] for name in ('done', 'result', 'kept', 'ours') if name in row}
        print(*filter(None, cell.key), told, flush=True)


def _describe(old: Row) -> Row:
    """Return when, of what, and beside how much else a row was measured."""
    today = datetime.now(timezone.utc).strftime('%Y-%m-%d')
    load = round(os.getloadavg()[0], 1)
    low, high = old.get('load', (load, load))
    return {
        'dates': sorted({*old.get('dates', ()), today}),
        'commits': list(dict.fromkeys([*old.get('commits', ()), _commit()])),
        'load': [min(low, load), max(high, load)],
        'cores': os.cpu_count(),
    }


@lru_cache(maxsize=1)
def _commit() -> str:
    command = ['git', 'describe', '--always']
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return found.stdout.strip()


def _read_pair(text: str) -> tuple[str, int]:
    time, _, games = text.partition('=')
    if not float(time) > 0:
        raise ValueError(time)
    return time, int(games)


# ---- parts


def seed(part: str, options: argparse.Namespace, learned: dict[str, str]) -> list[Cell]:
    """Return the cross table of Connect Four: simple players."""
    games = _games(options, 1_000)
    return [Match(part, 'connect_four', a, b, games, 250) for a in _SIMPLE for b in _SIMPLE]


def krieg(part: str, options: argparse.Namespace, learned: dict[str, str]) -> list[Cell]:
    """Ask whether Simultaneous Krieg Tic-tac-toe is fair, and what knowledge is worth there."""
    game = 'simultaneous_krieg_tictactoe'
    cells: list[Cell] = [Fairness(part, game, 100_000 if options.quick else 1_000_000)]
    players = ['lookahead', 'ismcts:playouts=200', 'mcts:playouts=200,states=16']
    games = _games(options, 150)
    cells.append(Match(part, game, 'random', 'random', games, games))
    return cells + _both_seats(part, game, [(one, 'random') for one in players], games, games)


def strong(part: str, options: argparse.Namespace, learned: dict[str, str]) -> list[Cell]:
    """Return strong players of Connect Four: at equal time, and with equal budgets."""
    game = 'connect_four'
    own = learned.get(game)
    cells = _at_equal_time(part, game, own, options, [('0.1', 100), ('1', 10)])
    pairs = [('mcts:playouts=1000', name) for name in ('mcts:playouts=100', 'alphabeta')]
    pairs += [('mcts:playouts=1000', 'montecarlo:playouts=1000')]
    pairs += [('mcts:playouts=100', 'lookahead')]
    if own:
        others = ('random', 'lookahead', 'tactical', 'alphabeta', 'mcts:playouts=100')
        pairs += [(own, other) for other in (*others, 'mcts:playouts=1000')]
    return cells + _both_seats(part, game, pairs, _games(options, 100))


def games(part: str, options: argparse.Namespace, learned: dict[str, str]) -> list[Cell]:
    """Return tree search, alpha-beta and learned players of other games, at equal time."""
    cells = []
    for game in ('breakthrough', 'othello'):
        own = learned.get(game)
        cells += _at_equal_time(part, game, own, options, [('0.1', 20)])
        if own:
            cells += _both_seats(part, game, [(own, 'random')], _games(options, 100))
    return cells


def optimal(part: str, options: argparse.Namespace, learned: dict[str, str]) -> list[Cell]:
    """Ask how often players choose what a perfect player of Connect Four would."""
    players = ['random', 'lookahead', 'tactical', 'alphabeta:depth=4', 'alphabeta:depth=8']
    players += ['montecarlo:playouts=1000', 'mcts:playouts=1000', 'mcts:playouts=10000']
    if 'connect_four' in learned:
        players.append(learned['connect_four'])
    return [Positions(part, player, _games(options, 1_000)) for player in players]


def speed(part: str, options: argparse.Namespace, learned: dict[str, str]) -> list[Cell]:
    """Ask for random games a second of processor time in tree search, beside open_spiel's."""
    seconds = 0.5 if options.quick else 2.0
    names = ('connect_four', 'breakthrough', 'othello')
    return [Speed(part, name, rollouts, seconds) for name in names for rollouts in (1, 4)]


def rave(part: str, options: argparse.Namespace, learned: dict[str, str]) -> list[Cell]:
    """Return tree search that takes all moves as first ones, against the same without."""
    cells = []
    for game in ('connect_four', 'breakthrough', 'hex(size=7)'):
        pairs = [(f'mcts:playouts=1000,rave={k}', 'mcts:playouts=1000') for k in (50, 500)]
        cells += _both_seats(part, game, pairs, _games(options, 100))
    return cells


def more(part: str, options: argparse.Namespace, learned: dict[str, str]) -> list[Cell]:
    """Return each kind of player against random ones on Lazerbike, and on Sokoban."""
    players = ['random', 'lookahead', 'alphabeta:depth=3', 'montecarlo:playouts=200']
    players += ['mcts:playouts=200']
    count = _games(options, 50)
    cells: list[Cell] = [Match(part, 'lazerbike', p, 'random', count, count) for p in players]
    players += [
        'mcts:playouts=5000',
        'mcts:playouts=50000',
        'alphabeta:depth=30,nodes=1000000,time=0',
    ]
    # Together: all players of a level are of one kind.
    for level in _LEVELS:
        name = f'sokoban(level={level})'
        cells += [Match(part, name, p, p, _games(options, 5), 5) for p in players]
    return cells


PARTS: dict[str, Callable[[str, argparse.Namespace, dict[str, str]], list[Cell]]] = {
    'seed': seed,
    'krieg': krieg,
    'strong': strong,
    'games': games,
    'optimal': optimal,
    'speed': speed,
    'rave': rave,
    'more': more,
}


def _games(options: argparse.Namespace, usual: int) -> int:
    wanted: int = options.games or usual
    return max(1, wanted // 10) if options.quick else wanted


def _at_equal_time(
    part: str,
    game: str,
    learned: str | None,
    options: argparse.Namespace,
    usual: list[tuple[str, int]],
) -> list[Cell]:
    """Return cells of players by the clock; a network answers at once."""
    cells = []
    for time, count in options.at or usual:
        players = [f'mcts:time={time}', f'alphabeta:depth=40,time={time}']
        pairs = [(players[0], players[1])]
        if learned:
            pairs += [(player, learned) for player in players]
        cells += _both_seats(part, game, pairs, max(1, count // 10) if options.quick else count)
    return cells


def _both_seats(
    part: str, game: str, pairs: list[tuple[str, str]], count: int, lanes: int = 50
) -> list[Cell]:
    return [
        Match(part, game, first, second, count, lanes)
        for pair in pairs
        for first, second in (pair, pair[::-1])
    ]


if __name__ == '__main__':
    main()
