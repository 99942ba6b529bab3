"""Rewards that are goals on another scale: what a searcher that goes by goals can learn for."""

from __future__ import annotations

import numpy as np

from gdl_agents.learning.errors import ConfigError
from gdl_env.environment.rewards import open_reward

# Goals that show whether a reward is linear in them.
_GOALS = np.arange(0, 101, dtype=np.int16)


def check_goal_scale(name: str) -> None:
    """Raise ConfigError unless a reward pays at the end only, and in proportion to the goal.

    Any such reward puts games into the same order as goals do, so values learned from goals are
    right for it. Raises HookError if there is no such reward.
    """
    # Each goal at the end of a game, and on the way.
    ended = np.repeat([True, False], len(_GOALS))
    paid = open_reward(name).reward_all(np.tile(_GOALS, 2)[None], ended)
    if paid is not None:
        final, before = np.split(paid[0].astype(np.float64), 2)
        line = np.linspace(final[0], final[-1], len(_GOALS))
        is_linear = np.allclose(final, line, atol=1e-4 * np.abs(final).max())
        if final[0] < final[-1] and is_linear and not before.any():
            return
    raise ConfigError(
        f'reward={name} does not apply to alphazero; reward must be goal, or a reward whose'
        ' reward_all pays at the end of a game, and more for a higher goal in proportion to it,'
        ' since search values the ends of games by their goals'
    )
