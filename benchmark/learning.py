"""Train players with several seeds and measure how well they play.

python benchmark/learning.py                              tic-tac-toe, all parts, three seeds
python benchmark/learning.py random gate --seeds 21 22    some parts, some seeds
python benchmark/learning.py connect_four --seeds 21      about 45 minutes of one core
python benchmark/learning.py doppelkopf --seeds 21        about 10 minutes of one core
python benchmark/learning.py throughput --peer-python /tmp/peer/bin/python
python benchmark/learning.py --write-doc                  write what was measured so far

Every result is kept in doc/benchmarks/learning.json as it comes; runs are kept below --runs.
Training and choosing a snapshot use other seeds than the games that are reported. The network
plays alone: its best legal action, without search or rules, except where a row says so.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
import json
from math import isnan
from pathlib import Path
import subprocess
from time import process_time
from typing import Any

from learning_players import RuledAgent, measure_legality
from learning_table import write_doc
from learning_teams import play_alone, play_together
import numpy as np
from parts import KeptRows, Row, make_parser, read_options

from gdl_agents.agent import Agent
from gdl_agents.learning.dqn.model import Model
from gdl_agents.learning.dqn.network_agent import NetworkAgent
from gdl_agents.learning.dqn.value_trainer import ValueTrainer
from gdl_agents.learning.levels.reward_levels import list_levels, list_snapshots, strongest
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.config_file import make_config, read_config, read_settings
from gdl_agents.learning.training.derived_options import derive_options, describe_given
from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_agents.learning.training.training_run import TrainingRun
from gdl_agents.registry import open_agent
from gdl_env.cli.game_options import load
from gdl_env.environment.score import Score

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / 'doc' / 'benchmarks' / 'learning.json'
EXPERIMENTS = ROOT / 'benchmark' / 'experiments_2022'
# Games on each seat, of what is reported; and their seed, which no training uses.
GAMES = 5_000
SEED = 20_221_116
# Without solos, which random players would declare in two of three games.
DOPPELKOPF = 'doppelkopf(solos=no)'
TEAM_GAMES = 500


def main(argv: Sequence[str] | None = None) -> None:
    """Train, measure, and keep the results."""
    parser = make_parser(__doc__ or '', PARTS)
    parser.add_argument('--seeds', nargs='+', type=int, default=[21, 22, 23])
    parser.add_argument('--runs', type=Path, default=Path('runs') / 'benchmark')
    parser.add_argument('--set', action='append', default=[], metavar='KEY=VALUE')
    parser.add_argument('--run', type=Path, help='measure a run that was trained already')
    parser.add_argument('--cpu-seconds', type=float, default=0.0, help='that it took')
    parser.add_argument('--note', default='', help='to be shown with the result')
    parser.add_argument('--peer-python', default='', help='with open_spiel and JAX')
    options = read_options(parser, argv, PARTS, DEFAULT)
    for part in options.parts:
        for seed in options.seeds:
            row = {'part': part, 'seed': seed, **PARTS[part](seed, options)}
            print(json.dumps({k: v for k, v in row.items() if k != 'curve'}), flush=True)
            KEPT.keep(row)
    if options.write_doc:
        write_doc(KEPT.read(), ROOT / 'doc')


# ---- parts


def against_random(mode: str, seed: int, options: argparse.Namespace) -> Row:
    """Train on tic-tac-toe for 3,000 episodes; measure against random players, and prove."""
    told = {'game': 'tictactoe', 'mode': mode, 'episodes': 3_000}
    if mode == 'gate':
        told = {**read_config(EXPERIMENTS / 'gate.yaml'), **told}
    config = make_config(told, {'seed': seed}, settings(options))
    run, seconds = train(f'{mode}-{seed}', config, options)
    models = load_models(run)
    row = measure(run.trainer, models, GAMES, lambda role: open_agent('random'))
    proofs = run.trainer.prove(models)
    shares = [[proof.won, proof.drawn, proof.lost] for proof in proofs]
    return {
        **row,
        **about(run, seconds),
        'exact': np.mean(shares, axis=0).tolist(),
        'never_loses': all(proof.never_loses for proof in proofs),
        'positions': sum(proof.positions for proof in proofs),
        'proofs': list(map(str, proofs)),
    }


def perfect(seed: int, options: argparse.Namespace) -> Row:
    """Train with the gate until a snapshot is proved never to lose: 20,000 episodes at most."""
    told = {**read_config(EXPERIMENTS / 'gate.yaml'), 'game': 'tictactoe', 'episodes': 20_000}
    told |= {'snapshots': 40, 'evaluation_games': 1}
    config = make_config(told, {'seed': seed}, settings(options))
    start = process_time()
    trainer = ValueTrainer(load('tictactoe'), config)
    found: list[Model] = []
    while not trainer.is_done and not found:
        taken = trainer.tick() or {}
        found = [model for model in taken.values() if model.about.proved]
    seconds = process_time() - start
    proofs = trainer.prove(dict.fromkeys(trainer.roles, found[0])) if found else []
    row = {'episodes': trainer.episodes, 'cpu_seconds': seconds, 'never_loses': bool(found)}
    trainer.close()
    return {**row, 'proofs': list(map(str, proofs))}


def punished(seed: int, options: argparse.Namespace) -> Row:
    """Repeat the first experiment of 2022: DQN without masks, an illegal move ends the game."""
    told = {**read_config(EXPERIMENTS / 'punished.yaml'), 'game': 'tictactoe', 'snapshots': 6}
    config = make_config(told, {'seed': seed}, settings(options))
    run, seconds = train(f'punished-{seed}', config, options)
    model = load_models(run)[run.trainer.roles[0]]
    return {**measure_legality(load('tictactoe'), model, GAMES, SEED), **about(run, seconds)}


def krieg(seed: int, options: argparse.Namespace) -> Row:
    """Train on a game that hides the moves of the other."""
    config = derive('krieg_tictactoe', seed, options)
    run, seconds = train(f'krieg-{seed}', config, options)
    row = measure(run.trainer, load_models(run), GAMES, lambda role: open_agent('random'))
    return {**row, **about(run, seconds), 'baseline': among_random(run.trainer.arena)}


def derive(game: str, seed: int, options: argparse.Namespace) -> TrainingConfig:
    """Return the options that follow from a game, as `gdl train` takes them."""
    sources = {'game': game, 'seed': seed}, settings(options)
    derived = derive_options(load(game), describe_given(*sources))
    return make_config(derived.options(), *sources)


def among_random(arena: Arena) -> Row:
    """Return how random players fare among themselves."""
    return by_seat(arena, open_agent('random'), open_agent('random'), GAMES)


def connect_four(seed: int, options: argparse.Namespace) -> Row:
    """Train on Connect Four, or take a run; measure against players that think ahead."""
    config = derive('connect_four', seed, options)
    run, seconds = take_or_train(f'connect_four-{seed}', config, options)
    model = next(iter(load_models(run).values()))
    arena = Arena(load('connect_four'), 250)
    row: Row = {**about(run, seconds), 'note': options.note}
    for name, other, games in (
        ('tactical', 'tactical', 1_000),
        ('alphabeta', 'alphabeta:depth=4', 250),
    ):
        for kind, make in (('', NetworkAgent), ('_with_rules', RuledAgent)):
            row[f'{name}{kind}'] = by_seat(arena, make(model), open_agent(other), games)
    rules, searcher = open_agent('tactical'), open_agent('alphabeta:depth=4')
    row['rules_alone'] = by_seat(arena, rules, searcher, 250)
    arena.close()
    return row


def doppelkopf(seed: int, options: argparse.Namespace) -> Row:
    """Train on Doppelkopf, or take a run; measure points as re and as kontra, beside random."""
    config = derive(DOPPELKOPF, seed, options)
    run, seconds = take_or_train(f'doppelkopf-{seed}', config, options)
    snapshots = list_snapshots(run.folder)
    model = Model.load(strongest(snapshots).path)
    arena = Arena(load(DOPPELKOPF), 250)
    levels = [
        {'level': level.number, 'episodes': level.snapshot.about.episodes}
        | {'reward': level.snapshot.about.reward, 'target': level.target}
        for level in list_levels(snapshots, 5)
    ]
    row = {
        **about(run, seconds),
        'note': options.note,
        # What it earned while it learned and explored.
        'training': [(row['episodes'], row['reward']) for row in run.folder.read_metrics()],
        'games': TEAM_GAMES,
        'alone': play_alone(arena, lambda: NetworkAgent(model), TEAM_GAMES, SEED),
        'together': play_together(arena, lambda: NetworkAgent(model), TEAM_GAMES, SEED),
        'baseline': play_alone(arena, lambda: open_agent('random'), TEAM_GAMES, SEED),
        'levels': levels,
    }
    arena.close()
    return row


def throughput(seed: int, options: argparse.Namespace) -> Row:
    """Count steps of the environment per second of CPU, beside open_spiel's DQN on JAX."""
    told = {
        'game': 'tictactoe',
        'mode': 'selfplay',
        'episodes': 40_000,
        'lanes': 512,
        'copy_every': 2_000,
        'snapshots': 1,
        'learner': {'updates': 0.012, 'epsilon_decisions': 20_000, 'warm_up': 2_000},
    }
    config = make_config(told, {'seed': seed}, settings(options))
    trainer = ValueTrainer(load('tictactoe'), replace(config, evaluation_games=1))
    start = process_time()
    models: dict[str, Model] = {}
    while not trainer.is_done:
        for name, model in (trainer.tick() or {}).items():
            models.update(dict.fromkeys(trainer.roles_of(name), model))
    seconds = process_time() - start
    steps = trainer.environment.tallies.steps
    row = measure(trainer, models, GAMES, lambda role: open_agent('random'))
    row |= {'steps': steps, 'cpu_seconds': seconds, 'steps_per_cpu_second': steps / seconds}
    trainer.close()
    if options.peer_python:
        script = str(Path(__file__).with_name('spiel_dqn_peer.py'))
        told_by = subprocess.run(
            [options.peer_python, script, str(seed)], capture_output=True, text=True, check=True
        )
        row['open_spiel'] = json.loads(told_by.stdout.splitlines()[-1])
    return row


PARTS: dict[str, Callable[[int, argparse.Namespace], Row]] = {
    'random': lambda seed, options: against_random('random', seed, options),
    'gate': lambda seed, options: against_random('gate', seed, options),
    'perfect': perfect,
    'punished': punished,
    'krieg': krieg,
    'connect_four': connect_four,
    'doppelkopf': doppelkopf,
    'throughput': throughput,
}
DEFAULT = ['random', 'gate', 'perfect', 'punished', 'krieg']
KEPT = KeptRows(
    RESULTS,
    lambda row: (row['part'], row['seed']),
    lambda row: (list(PARTS).index(row['part']), row['seed']),
)


# ---- training and measuring


def settings(options: argparse.Namespace) -> dict[str, Any]:
    """Return what the command line changes."""
    return read_settings(options.set)


def train(
    name: str, config: TrainingConfig, options: argparse.Namespace
) -> tuple[TrainingRun[ValueTrainer], float]:
    """Train; return the run and the seconds of CPU it took, evaluations included."""
    start = process_time()
    folder = RunFolder.create(replace(config, name=name), options.runs)
    run = TrainingRun(folder, ValueTrainer(load(config.game), config))
    run.run()
    return run, process_time() - start


def take_or_train(
    name: str, config: TrainingConfig, options: argparse.Namespace
) -> tuple[TrainingRun[ValueTrainer], float]:
    """Return the run that the command line names, or a new one, and its seconds of CPU."""
    if options.run is None:
        return train(name, config, options)
    folder = RunFolder.open(options.run)
    run = TrainingRun(folder, ValueTrainer(load(config.game), folder.config))
    run.resume()
    return run, options.cpu_seconds


def load_models(run: TrainingRun[ValueTrainer]) -> dict[str, Model]:
    """Return the strongest snapshot of each role, as the run judges them."""
    return {
        role: Model.load(strongest(list_snapshots(run.folder, role)).path)
        for role in run.trainer.roles
    }


def about(run: TrainingRun[ValueTrainer], seconds: float) -> Row:
    """Return what a run was, and its curve."""
    rows = run.folder.read_metrics()
    curve = [(row['episodes'], row['score']) for row in rows if not isnan(row['score'])]
    config = run.config
    return {
        'episodes': run.trainer.episodes,
        'updates': run.trainer.status().updates,
        'cpu_seconds': seconds,
        'seconds': rows[-1]['seconds'],
        'algorithm': config.algorithm,
        'mode': config.mode,
        'curve': curve,
    }


def measure(
    trainer: ValueTrainer, models: dict[str, Model], games: int, make: Callable[[str], Agent]
) -> Row:
    """Return wins, draws and losses on every seat, and of all."""
    scores = trainer.arena.seat_in_turn(
        lambda role: NetworkAgent(models[role]), games, SEED, trainer.roles, make
    )
    return {'scores': {role: vars(score) for role, score in scores.items()}}


def by_seat(arena: Arena, agent: Agent, other: Agent, games: int) -> Row:
    """Return how an agent fares on every seat against another one."""
    scores: dict[str, Score] = arena.seat_in_turn(
        lambda role: agent, games, SEED, make_other=lambda role: other
    )
    return {role: vars(score) for role, score in scores.items()}


if __name__ == '__main__':
    main()
