"""How trees grow, and what they say of the moves in a root."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.contract import Rows

# Children that are made all at once.
FAMILY = 64


@dataclass(frozen=True)
class TreeOptions:
    """How a forest grows."""

    most_nodes: int = 400_000
    # The weight of what was seldom tried.
    exploration: float = 0.7
    # Random games of each new node.
    rollouts: int = 1
    # Whether they take wins, and avoid moves that let others win at once.
    is_sharp: bool = False
    # Nodes with up to this many children get all of them at once.
    family: int = FAMILY
    # Visits of a node at which moves that were made later count as much as its own; 0: not at all.
    rave: float = 0.0
    # With a judge: let visits follow the improved prior, with values that count this much (see
    # `TreeSettings`); 0 chooses by PUCT.
    value_scale: float = 0.0
    value_visits: float = 50.0
    # With a judge: nodes with up to this many arms of one role are looked at for a move that wins
    # at once, and are proven then.
    win_arms: int = 0
    # Bytes of all trees; 0: as many as it takes.
    most_bytes: int = 0
    # With a judge: random games evaluate nodes, and the judge is asked only about those with so
    # many visits; 0: about all of them. With a clock, this changes until asking takes half of the
    # time: how long a random game takes is a matter of the game.
    judge_visits: int = 0
    clock: Callable[[], float] | None = None
    # How many random games its value counts as then, and the weight of what was seldom tried.
    judge_weight: int = 16
    judge_exploration: float = 2.0


@dataclass(frozen=True)
class RootMoves:
    """The moves of a role in a node, and what search found out about them."""

    rows: Rows
    visits: NDArray[np.int64]
    # Mean values, 0 to 1.
    means: NDArray[np.float64]
    # Values that are certain; NaN where none is.
    proven: NDArray[np.float64]
