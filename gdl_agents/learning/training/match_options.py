"""The match that an algorithm plays against itself, by the options of training."""

from __future__ import annotations

from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.evaluation import LONGEST
from gdl_env.environment.options import Options


def make_match_options(config: TrainingConfig, lanes: int, seed: int) -> Options:
    """Return the options of a match whose games wait in memory for their end."""
    return Options(
        lanes,
        seed,
        max_steps=config.max_steps or LONGEST,
        reward=config.reward,
        turn=config.turn,
    )
