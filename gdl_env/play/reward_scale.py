"""Goals as rewards, by default: goals 0, 50 and 100 are worth -10, 0 and 10, linear in between."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel

# What goal 0 is worth.
LOWEST = -10.0

Number = TypeVar('Number', float, NDArray[np.floating])


def to_reward(goal: Number) -> Number:
    """Return what a goal (0 to 100) is worth."""
    return goal / 5 - 10


@compile_kernel(nogil=True, makes_arrays=False)
def reward_goals(goals, ended, reward):
    """Write what goals are worth where games ended, 0 elsewhere: (players, games) each.

    A negative goal is none, and worth 0.
    """
    for player in range(goals.shape[0]):
        for game in range(goals.shape[1]):
            goal = goals[player, game]
            worth = np.float32(goal) / np.float32(5) - np.float32(10)
            reward[player, game] = worth if ended[game] and goal >= 0 else np.float32(0)
