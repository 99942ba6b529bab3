"""From rules to a player, by the defaults: how strong, and after how much processor time.

python benchmark/general.py selfplay                    600 games of self-play, with 48 playouts
python benchmark/general.py connect_four --seeds 1      train, judge positions, play mcts
python benchmark/general.py hex --seeds 1 --episodes 3000
python benchmark/general.py --write-doc                 write what was measured so far

Each part is one task; every result is kept in doc/benchmarks/general.json as it comes, by part and
seed. Times are those of the processor. Positions and games have seeds that no training uses.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import Any

from general_table import write_doc
from hard_positions import find_hard_positions, measure_positions
from parts import KeptRows, Row, make_parser, read_options

from gdl_agents.agent import Agent
from gdl_agents.learning.alphazero.agent import AlphaZeroAgent
from gdl_agents.learning.alphazero.model import AlphaZeroModel
from gdl_agents.learning.alphazero.trainer import AlphaZeroTrainer
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.config_file import make_config
from gdl_agents.learning.training.derived_options import derive_options
from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.registry import open_agent
from gdl_agents.search.players.player import SearchAgent
from gdl_env.language.game import Game
from gdl_env.language.load import open_game

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / 'doc' / 'benchmarks' / 'general.json'
# Of positions and games that are reported.
SEED = 20_261_207
# Games of self-play, and playouts of each of their moves, whose time is measured.
SPEED_GAMES, SPEED_PLAYOUTS = 600, 48
# Connect Four: processor time for a position [s], and the part of the positions that is judged.
TIMES = {0.018: 1.0, 1.0: 0.15}
# Processor time for a move in games against mcts [s].
MOVE_TIME = 0.05


def main(argv: Sequence[str] | None = None) -> None:
    """Train, measure, and keep the results."""
    parser = make_parser(__doc__ or '', PARTS)
    parser.add_argument('--seeds', type=int, nargs='+', default=[1], help='seeds of training')
    parser.add_argument('--episodes', type=int, help='instead of the default')
    parser.add_argument('--cpu-seconds', type=float, help='of training, instead of episodes')
    parser.add_argument('--games', type=int, default=40, help='games against mcts on each seat')
    parser.add_argument('--positions', type=int, default=400, help='of Connect Four, judged')
    parser.add_argument('--models', type=Path, help='a folder: networks are kept, and reused')
    parser.add_argument('--results', type=Path, default=RESULTS, help='the file of kept rows')
    options = read_options(parser, argv, PARTS)
    kept = KeptRows(options.results, lambda row: (row['part'], row['seed']))
    for part in options.parts:
        for seed in options.seeds:
            row = {'part': part, 'seed': seed, **PARTS[part](seed, options)}
            kept.keep(row)
            print(row, flush=True)
    if options.write_doc:
        write_doc(kept.read())


def measure_self_play(seed: int, options: argparse.Namespace) -> Row:
    """Return the time of self-play and of learning; with the playout caps, and without."""
    row: Row = {}
    for name, changes in (('', {}), ('full_', {'quick_share': 0.0, 'opening_share': 0.0})):
        learner = {'playouts': SPEED_PLAYOUTS, **changes}
        told = {'game': 'connect_four', 'algorithm': 'alphazero', 'seed': seed}
        config = make_config({**told, 'episodes': 10 * SPEED_GAMES, 'learner': learner})
        trainer = TimedTrainer(open_game('connect_four'), config)
        trainer.tick()
        started = process_time()
        trainer.learning = 0.0
        while trainer.episodes < SPEED_GAMES:
            trainer.tick()
        row[f'{name}seconds'] = round(process_time() - started, 1)
        row[f'{name}learning'] = round(trainer.learning, 1)
        row[f'{name}positions'] = trainer.status().decisions
        trainer.close()
    return row


class TimedTrainer(AlphaZeroTrainer):
    """Measures the processor time of learning [s]."""

    def __init__(self, game: Game, config: TrainingConfig) -> None:
        super().__init__(game, config)
        self.learning = 0.0
        learner: Any = self._learner
        learn = learner.learn

        def learn_timed(progress: float) -> None:
            started = process_time()
            learn(progress)
            self.learning += process_time() - started

        learner.learn = learn_timed


def measure_connect_four(seed: int, options: argparse.Namespace) -> Row:
    """Train; judge positions against a perfect player, and play mcts."""
    model, row = train('connect_four', seed, options)
    for time, part in TIMES.items():
        found = find_hard_positions(SEED, max(1, round(part * options.positions)))
        players = {
            'alphazero': AlphaZeroAgent.of(model, time=time),
            'mcts': open_agent(f'mcts:time={time}'),
        }
        for name, agent in players.items():
            row[f'{name}_{time}'] = measure_positions(by_processor(agent), found)
    return {**row, **play_mcts('connect_four', model, options)}


def measure_game(game: str) -> Callable[[int, argparse.Namespace], Row]:
    """Return a part: train on a game, and play mcts."""

    def measure(seed: int, options: argparse.Namespace) -> Row:
        model, row = train(game, seed, options)
        return {**row, **play_mcts(game, model, options)}

    return measure


def train(game: str, seed: int, options: argparse.Namespace) -> tuple[AlphaZeroModel, Row]:
    """Return a network, by the defaults, and what it took. Snapshots are not evaluated."""
    told: Row = {'game': game, 'algorithm': 'alphazero', 'seed': seed}
    if options.episodes:
        told['episodes'] = options.episodes
    if options.cpu_seconds:
        told['seconds'] = options.cpu_seconds
    path = options.models / f'{game}-{seed}.npz' if options.models else None
    if path and path.exists():
        model = AlphaZeroModel.load(path)
        return model, {'game': game, 'episodes': model.about.episodes, 'cpu_seconds': None}
    started = process_time()
    told |= {'evaluation_games': 1, 'snapshots': 1}
    config = make_config(derive_options(open_game(game), told).options(), told)
    trainer = AlphaZeroTrainer(open_game(game), config)
    while not trainer.is_done:
        trainer.budget.seconds = process_time() - started
        trainer.tick()
    model = trainer.model()
    trainer.close()
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        model.save(path)
    seconds = round(process_time() - started, 1)
    return model, {'game': game, 'episodes': trainer.episodes, 'cpu_seconds': seconds}


def play_mcts(game: str, model: AlphaZeroModel, options: argparse.Namespace) -> Row:
    """Return how a network fares on both seats against mcts, with as much processor time."""
    arena = Arena(open_game(game), 8)
    scores = arena.seat_in_turn(
        lambda role: by_processor(AlphaZeroAgent.of(model, time=MOVE_TIME)),
        options.games,
        SEED,
        make_other=lambda role: by_processor(open_agent(f'mcts:time={MOVE_TIME}')),
    )
    arena.close()
    parts = {role: [s.wins, s.draws, s.losses] for role, s in scores.items()}
    return {'mcts': parts, 'move_ms': 1000 * MOVE_TIME}


def by_processor(agent: Agent) -> SearchAgent:
    """Let a searching agent measure its time by that of the processor."""
    assert isinstance(agent, SearchAgent)
    agent.clock = process_time
    return agent


PARTS: dict[str, Callable[[int, argparse.Namespace], Row]] = {
    'selfplay': measure_self_play,
    'connect_four': measure_connect_four,
    'breakthrough': measure_game('breakthrough(size=6)'),
    'othello': measure_game('othello(size=6)'),
    'hex': measure_game('hex(size=5)'),
}


if __name__ == '__main__':
    main()
