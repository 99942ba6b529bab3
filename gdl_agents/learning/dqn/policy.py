"""From the values of actions to actions, in all lanes at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_agents.players.draws import LaneDraws


def choose_actions(
    values: NDArray[np.float32],
    allowed: NDArray[np.bool_],
    epsilon: float | NDArray[np.float64],
    chance: np.random.Generator | LaneDraws,
    temperature: float | NDArray[np.float64] = 0.0,
) -> NDArray[np.int32]:
    """Return the best allowed action of each row or, with probability epsilon, any of them.

    With a temperature, an action that is worth less by that much is chosen e times less often than
    the best.
    """
    if np.any(temperature):
        # The largest of values with Gumbel noise: a draw by the softmax.
        noise = np.reshape(temperature, (-1, 1)) * chance.gumbel(size=values.shape)
        values = values + noise.astype(np.float32)
    best = np.where(allowed, values, -np.inf).argmax(axis=1)
    if np.any(epsilon):
        # All draws are made whether they are needed or not, so that rows do not shift each other.
        explores = chance.random(len(values)) < epsilon
        anything = np.where(allowed, chance.random(values.shape), -1.0).argmax(axis=1)
        best = np.where(explores, anything, best)
    action: NDArray[np.int32] = best.astype(np.int32)
    return action
