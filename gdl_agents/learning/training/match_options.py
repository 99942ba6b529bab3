"""The match that a learner plays, by the options of training."""

from __future__ import annotations

from gdl_agents.learning.training.config import TrainingConfig
from gdl_env.environment.options import Illegal, Options


def make_match_options(config: TrainingConfig, lanes: int, seed: int, max_steps: int) -> Options:
    """Return the options of a match.

    - max_steps: after how many steps a game is broken off; 0 is never
    """
    return Options(
        lanes,
        seed,
        max_steps=max_steps,
        illegal=Illegal(config.illegal),
        reward=config.reward,
        turn=config.turn,
    )
