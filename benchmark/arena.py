"""Let players play each other, and measure what search costs.

python benchmark/arena.py                     all parts
python benchmark/arena.py seed krieg          some parts
python benchmark/arena.py --quick             a tenth of the matches
python benchmark/arena.py strong --alphazero runs/connect_four/alphazero-selfplay-1
python benchmark/arena.py --write-doc         write what was measured so far

Every result is kept in doc/benchmarks/arena.json as it comes.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import datetime, timezone
import json
from math import sqrt
import os
from pathlib import Path
import subprocess
from time import monotonic, process_time
from typing import Any

from arena_positions import measure_optimal
from arena_tables import short_name, write_doc
import numpy as np

from gdl_agents.learning.evaluation import Arena
from gdl_agents.registry import open_agent
from gdl_agents.search.forest import Forest
from gdl_agents.search.opening import open_rules
from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.registry import open_engine
from gdl_env.language.diagnostics import GameError
from gdl_env.language.load import open_game

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / 'doc' / 'benchmarks' / 'arena.json'
DOC = ROOT / 'doc' / 'benchmarks.md'
SEED = 20_210_702
# Random games of a search, where speed is measured.
_SEARCH = 50_000

Part = dict[str, Any]


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, and keep the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('parts', nargs='*', metavar='PART', help=', '.join(PARTS))
    parser.add_argument('--quick', action='store_true', help='a tenth of the matches')
    parser.add_argument('--alphazero', default='', metavar='RUN', help='a run to play, too')
    parser.add_argument('--write-doc', action='store_true', help='write doc/benchmarks.md')
    options = parser.parse_args(argv)
    wrong = [name for name in options.parts if name not in PARTS]
    if wrong:
        parser.error(f'no part {wrong[0]!r}; parts: {", ".join(PARTS)}')
    parts = options.parts or ([] if options.write_doc else list(PARTS))
    for name in parts:
        started = monotonic()
        load = os.getloadavg()[0]
        found = PARTS[name](options)
        found['about'] = {
            'date': datetime.now(timezone.utc).strftime('%Y-%m-%d'),
            'commit': _commit(),
            'load': round(load, 1),
            'cores': os.cpu_count(),
            'seconds': round(monotonic() - started, 1),
            'is_quick': options.quick,
        }
        # Read anew: another part may have been measured at the same time.
        report = _read() | {name: found}
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(report, indent=1) + '\n', 'utf-8')
    if options.write_doc:
        write_doc(DOC, _read())


def _read() -> dict[str, Part]:
    report: dict[str, Part] = json.loads(RESULTS.read_text('utf-8')) if RESULTS.exists() else {}
    return report


def cell(arena: Arena, first: str, second: str, games: int) -> dict[str, Any]:
    """Return wins, draws and losses of the first role."""
    started = monotonic()
    agents = [open_agent(first), *(open_agent(second) for _ in arena.roles[1:])]
    scores = arena.play(dict(zip(arena.roles, agents, strict=True)), games, SEED)
    score = scores[arena.roles[0]]
    found = {
        'first': short_name(first),
        'second': short_name(second),
        'games': score.games,
        'result': [score.wins, score.draws, score.losses],
        'goal': round(score.goals / max(score.games, 1), 1),
        'seconds': round(monotonic() - started, 2),
    }
    print(first, second, found['result'], f'{found["seconds"]} s', flush=True)
    return found


def play_seed(options: argparse.Namespace) -> Part:
    """Return the cross table of Connect Four: simple players."""
    games = 100 if options.quick else 1_000
    arena = Arena(open_game('connect_four'), games)
    names = ('legal', 'random', 'lookahead:depth=1', 'lookahead', 'tactical', 'alphabeta:depth=4')
    return {'names': names, 'cells': [cell(arena, a, b, games) for a in names for b in names]}


def play_krieg(options: argparse.Namespace) -> Part:
    """Return whether Simultaneous Krieg Tic-tac-toe is fair, and what knowledge is worth there."""
    count = 100_000 if options.quick else 1_000_000
    game = open_game('simultaneous_krieg_tictactoe')
    engine = open_engine(game)
    assert isinstance(engine, CircuitEngine)
    started = process_time()
    goals = np.concatenate([b.goals for b in engine.play_batches(count, SEED, 100)])
    seconds = process_time() - started
    wins, losses = int((goals[:, 0] == 100).sum()), int((goals[:, 0] == 0).sum())
    difference = (wins - losses) / count
    error = sqrt((wins + losses) / count - difference**2) / sqrt(count)
    games = 15 if options.quick else 150
    arena = Arena(game, games)
    cells = []
    for name in ('random', 'lookahead', 'ismcts:playouts=200'):
        cells += [cell(arena, name, 'random', games), cell(arena, 'random', name, games)]
    return {
        'games': count,
        'result': [wins, count - wins - losses, losses],
        'difference': difference,
        'interval': [difference - 1.96 * error, difference + 1.96 * error],
        'seconds': seconds,
        'cells': cells,
    }


def play_strong(options: argparse.Namespace) -> Part:
    """Return strong players of Connect Four: at equal time, and with equal budgets."""
    few, many = (2, 10) if options.quick else (5, 50)
    game = open_game('connect_four')
    arena, wide = Arena(game, few), Arena(game, many)
    quick = ('mcts:time=0.1', 'alphabeta:depth=40,time=0.1')
    pairs = [(arena, *quick, few)]
    budget = ('mcts:playouts=100', 'mcts:playouts=1000', 'montecarlo:playouts=1000', 'alphabeta')
    pairs += [(wide, 'mcts:playouts=1000', name, many) for name in budget if name != budget[1]]
    pairs += [(wide, 'mcts:playouts=100', 'lookahead', many)]
    if options.alphazero:
        learned = f'alphazero:{options.alphazero} playouts=100'
        others = ('random', 'lookahead', 'alphabeta', 'mcts:playouts=100', 'mcts:playouts=1000')
        pairs += [(wide, learned, other, many) for other in others]
    return {'cells': _both_seats(pairs)}


def play_games(options: argparse.Namespace) -> Part:
    """Return tree search against alpha-beta on other games, at equal time."""
    games = 1 if options.quick else 5
    cells = {}
    for name in ('breakthrough', 'othello'):
        arena = Arena(open_game(name), games)
        pair = (arena, 'mcts:time=0.1', 'alphabeta:depth=40,time=0.1', games)
        cells[name] = _both_seats([pair])
    return {'cells': cells}


def play_more(options: argparse.Namespace) -> Part:
    """Return each kind of player against random ones on Lazerbike, and alone on Sokoban."""
    games = 5 if options.quick else 50
    players = ('random', 'lookahead', 'alphabeta:depth=3', 'montecarlo:playouts=200')
    players += ('mcts:playouts=200',)
    found: dict[str, list[dict[str, Any]]] = {}
    for name in ('lazerbike', 'sokoban'):
        arena = Arena(open_game(name), games, max_steps=200)
        try:
            found[name] = [cell(arena, player, 'random', games) for player in players]
        except GameError as error:
            # Players get the rules as text, and must be able to read them.
            print(f'{name}: {error}', flush=True)
    return {'cells': found}


def measure_speed(options: argparse.Namespace) -> Part:
    """Return random games a second of processor time in tree search, beside open_spiel's.

    Both search the initial position, again and again, with as many random games a search and as
    many for each leaf.
    """
    seconds = 0.5 if options.quick else 2.0
    rows = []
    for name in ('connect_four', 'breakthrough', 'othello'):
        for rollouts in (1, 4):
            pairs = [
                (_our_speed(name, rollouts, seconds), _their_speed(name, rollouts, seconds))
                for _ in range(2)
            ]
            ours, theirs = (max(column) for column in zip(*pairs, strict=True))
            rows.append({'game': name, 'rollouts': rollouts, 'ours': ours, 'open_spiel': theirs})
            print(rows[-1], flush=True)
    return {'rows': rows, 'games': _SEARCH}


def _our_speed(name: str, rollouts: int, seconds: float) -> float:
    rules = open_rules(open_game(name))
    # The first one compiles.
    forest = Forest(rules, 1, rollouts=rollouts)
    forest.grow(forest.plant(rules.initial, 0))
    games, started = 0, process_time()
    while process_time() - started < seconds:
        forest = Forest(rules, games + 1, rollouts=rollouts)
        root = forest.plant(rules.initial, 0)
        while forest.judged < _SEARCH:
            size = int(np.clip(forest.arrays.visits[0] // 32, 1, 256))
            forest.grow(np.repeat(root, size))
        games += forest.judged
    return games / (process_time() - started)


def _their_speed(name: str, rollouts: int, seconds: float) -> float:
    import pyspiel

    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 1)
    games, started = 0, process_time()
    while process_time() - started < seconds:
        size = _SEARCH // rollouts
        bot = pyspiel.MCTSBot(game, evaluator, 1.0, size, 1_000, False, 1, False)
        bot.step(game.new_initial_state())
        games += size * rollouts
    return games / (process_time() - started)


def measure_positions(options: argparse.Namespace) -> Part:
    """Return how often players choose what a perfect player of Connect Four would."""
    players = ['random', 'lookahead', 'tactical', 'alphabeta:depth=4', 'alphabeta:depth=8']
    players += ['montecarlo:playouts=1000', 'mcts:playouts=1000', 'mcts:playouts=10000']
    if options.alphazero:
        players.append(f'alphazero:{options.alphazero} playouts=100')
    return measure_optimal(players, 100 if options.quick else 1_000, SEED)


def _both_seats(pairs: list[tuple[Arena, str, str, int]]) -> list[dict[str, Any]]:
    cells = []
    for arena, one, other, games in pairs:
        cells += [cell(arena, one, other, games), cell(arena, other, one, games)]
    return cells


def _commit() -> str:
    command = ['git', 'describe', '--always']
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return found.stdout.strip()


PARTS = {
    'seed': play_seed,
    'krieg': play_krieg,
    'strong': play_strong,
    'games': play_games,
    'optimal': measure_positions,
    'speed': measure_speed,
    'more': play_more,
}


if __name__ == '__main__':
    main()
