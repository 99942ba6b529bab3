"""The search for the network of a run: candidates are trained for a while, the best continues."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gdl_agents.learning.dqn.model import Model
from gdl_agents.learning.dqn.value_trainer import ValueTrainer
from gdl_agents.learning.networks import NetworkSpec, Shape, generate, save_network, search
from gdl_agents.learning.networks.search import Candidate, SearchResult
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.evaluation import mean_reward
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_env.engine.mapping import open_encoding
from gdl_env.language.game import Game


def search_network(
    game: Game,
    folder: RunFolder,
    report: Callable[[Candidate], None] = lambda candidate: None,
) -> SearchResult:
    """Find the network of a run whose options say `search`, and write it into its folder.

    What was learned by candidates stays among the snapshots of the run: weaker ones are its lower
    difficulty levels. The run then trains the best from the beginning.
    """
    config = folder.config
    shape = Shape.of(game, open_encoding(game))
    number = 0

    def evaluate(spec: NetworkSpec, budget: int) -> float:
        nonlocal number
        number += 1
        models, score = _train(game, replace(config, episodes=budget, snapshots=1), spec)
        for name, model in models.items():
            folder.save_snapshot(f'candidate_{number}_{name}', model)
        return score

    result = search(
        generate(shape, 'small'),
        evaluate,
        config.search_episodes,
        rounds=config.search_rounds,
        least_gain=config.search_gain,
        report=report,
    )
    save_network(replace(result.best.spec, name='found'), folder.network_file)
    folder.write_config(replace(config, network=str(folder.network_file.resolve())))
    return result


def _train(
    game: Game, config: TrainingConfig, spec: NetworkSpec
) -> tuple[dict[str, Model], float]:
    """Train a candidate; return what it learned, by learner, and its mean reward."""
    trainer = ValueTrainer(game, config, spec)
    models: dict[str, Model] = {}
    try:
        while not trainer.is_done:
            models = trainer.tick() or models
        scores = trainer.evaluate(config.evaluation_games)
        return models, mean_reward(scores)
    finally:
        trainer.close()
