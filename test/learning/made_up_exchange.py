"""Questions, feedback and transitions of made-up games, for the tests of collectors."""

from __future__ import annotations

import numpy as np

from gdl_agents.learning.dqn.replay import Transitions
from gdl_env.environment.bits import Bits
from gdl_env.environment.protocol import NO_ACTION, NO_GOAL, Feedback, Question


def rows_of(found: Transitions) -> list[tuple[float, ...]]:
    """Return transitions as plain numbers; observations have one byte."""
    return [
        (
            int(found.observation[i, 0]),
            int(found.action[i]),
            round(float(found.reward[i]), 3),
            int(found.next_observation[i, 0]) if found.discount[i] else -1,
            round(float(found.discount[i]), 5),
        )
        for i in range(len(found))
    ]


def ask(tick: int, to_move: np.ndarray, episode: np.ndarray, role: str = 'x') -> Question:
    """Return a question whose observations differ from tick to tick and lane to lane."""
    lanes = len(to_move)
    seen = ((tick * lanes + np.arange(lanes)) % 256).astype(np.uint8)[:, None]
    return Question(tick, role, episode.copy(), to_move, Bits(seen, 8), Bits(seen.copy(), 8))


def tell(
    tick: int,
    episode: np.ndarray,
    reward: np.ndarray,
    over: np.ndarray,
    cut: np.ndarray,
    role: str = 'x',
) -> Feedback:
    """Return what a tick brought."""
    lanes = len(reward)
    return Feedback(
        tick,
        role,
        episode.copy(),
        reward.astype(np.float32),
        np.full(lanes, NO_GOAL, np.uint8),
        over,
        cut,
        np.full(lanes, NO_ACTION, np.int32),
        np.zeros(lanes, np.uint8),
        None,
    )
