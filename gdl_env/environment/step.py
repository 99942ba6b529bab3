"""What came of one tick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_env.environment.answers import Decision
from gdl_env.environment.exchange import Feedback, Origin
from gdl_env.environment.lane_game import Mask


@dataclass(frozen=True)
class Step:
    """What came of one tick."""

    tick: int
    feedback: Mapping[str, Feedback]
    ended: Mask
    # The moves of the last step in lane 0, as text, of every player; '' did not move.
    moves: tuple[str, ...]
    # Who did not answer (LATE) or answered with an illegal move (ILLEGAL).
    offences: tuple[tuple[str, Origin], ...] = ()
    # Who is to be told: everybody or, where moves are hidden, those whom the tick concerned.
    concerned: tuple[str, ...] = ()


# What was decided, who acted, what was played, its names, who did not do as asked.
Played: TypeAlias = tuple[
    Sequence[Decision],
    Mask,
    NDArray[np.int32],
    tuple[str, ...],
    tuple[tuple[str, Origin], ...],
]
