"""Steps that an actor has played for a learner of values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.learning.dqn.replay import Transitions

# What the rules say about moves: observations, and which actions win and lose.
Advice = tuple[NDArray[np.uint8], NDArray[np.bool_], NDArray[np.bool_]]


@dataclass(frozen=True)
class PlayedSteps:
    """What one learner learns from."""

    transitions: Transitions | None
    advice: list[Advice]
    decisions: int
