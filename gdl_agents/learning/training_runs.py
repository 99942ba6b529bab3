"""Runs of any algorithm: begun and resumed in one way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gdl_agents.cluster.job_pool import JobPool
from gdl_agents.learning.alphazero.trainer import AlphaZeroTrainer
from gdl_agents.learning.dqn.value_trainer import ValueTrainer
from gdl_agents.learning.mmd.trainer import MmdTrainer
from gdl_agents.learning.sequence.trainer import SequenceTrainer
from gdl_agents.learning.training.algorithm_options import ALPHAZERO, MMD, SEQUENCE
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.run_folder import RUNS, RunFolder
from gdl_agents.learning.training.tracking import check_tracker
from gdl_agents.learning.training.trainer import Trainer
from gdl_agents.learning.training.training_run import TrainingRun
from gdl_env.language.game import Game

# By algorithm; all others learn values.
_TRAINERS: dict[str, Callable[[Game, TrainingConfig, JobPool | None], Trainer[Any]]] = {
    ALPHAZERO: AlphaZeroTrainer,
    MMD: MmdTrainer,
    SEQUENCE: SequenceTrainer,
}


def open_trainer(game: Game, config: TrainingConfig, pool: JobPool | None = None) -> Trainer[Any]:
    """Open the trainer of an algorithm; actors, if there are any, play in the pool.

    Raises ConfigError if an option cannot be obeyed.
    """
    return _TRAINERS.get(config.algorithm, _open_value_trainer)(game, config, pool)


def begin_run(
    game: Game,
    config: TrainingConfig,
    runs: Path = RUNS,
    training: str = '',
    pool: JobPool | None = None,
) -> TrainingRun[Trainer[Any]]:
    """Begin a new run below a folder of runs.

    - training: the options that were derived from the game, with their reasons, to be kept
    - pool: where actors play; without one, in this process
    """
    # Opened first: a run that cannot begin leaves no folder.
    check_tracker(config.track)
    trainer = open_trainer(game, config, pool)
    folder = RunFolder.create(config, runs)
    if training:
        folder.write_training(training)
    return TrainingRun(folder, trainer, pool)


def resume_run(
    game: Game, folder: RunFolder, *, is_trusted: bool = False, pool: JobPool | None = None
) -> TrainingRun[Trainer[Any]]:
    """Resume a run. Raises TrustError if it names code that was not run before."""
    config = folder.trusted_config(is_trusted=is_trusted)
    run = TrainingRun(folder, open_trainer(game, config, pool), pool)
    run.resume()
    return run


def _open_value_trainer(game: Game, config: TrainingConfig, pool: JobPool | None) -> Trainer[Any]:
    return ValueTrainer(game, config, pool=pool)
