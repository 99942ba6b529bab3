"""Players made weaker: a share of their moves is any legal one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_agents.players.draws import LaneDraws, derive_seed, question_key
from gdl_env.environment.protocol import Question


def weaken(
    question: Question,
    action: NDArray[np.int32],
    epsilon: float | NDArray[np.float64],
    seed: int,
) -> NDArray[np.int32]:
    """Return actions of which a share, of all lanes or of each, is replaced by any legal one.

    Draws belong to (seed, role, tick, lane). Without a mask of legal actions nothing is replaced.
    """
    if not np.any(epsilon) or question.legal is None:
        return action
    own = derive_seed(seed, 'weaken')
    key = question_key(own, question.role, question.tick, question.first_lane)
    draws = LaneDraws(key, np.arange(question.lanes))
    lanes = np.flatnonzero((draws.random(question.lanes) < epsilon) & question.to_move)
    if not len(lanes):
        return action
    legal = question.legal.unpack()[lanes]
    action = action.copy()
    drawn = draws.random((question.lanes, legal.shape[1]))[lanes]
    action[lanes] = np.where(legal, drawn, -1.0).argmax(axis=1)
    return action
