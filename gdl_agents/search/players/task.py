"""What a player has to decide, and what it may choose from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.game.turns import ROTATION, TurnOrder
from gdl_env.engine.batch.contract import BatchGame, Rows, States


@dataclass(frozen=True)
class SearchTask:
    """What is to be decided: a move of one role in each of some lanes.

    What the role knows of lane i is a set of states: those of which `owner` is i, in rising order.
    In an open game there is one for each lane.
    """

    rules: BatchGame
    role: int
    # The numbers of the lanes, and their episodes.
    lanes: NDArray[np.intp]
    episode: NDArray[np.uint64]
    states: States
    owner: NDArray[np.int64]
    # How likely each state is; the weights of a lane add up to 1.
    weight: NDArray[np.float64]
    # Decides all chance.
    key: int
    # By the clock; infinite if there is none.
    deadline: float
    clock: Callable[[], float] = monotonic
    # Whose turn it is, in a serial game.
    turns: TurnOrder = ROTATION
    # The players that share the goal of the role.
    partners: tuple[int, ...] = ()

    @property
    def opponents(self) -> list[int]:
        """Return the players that have another goal."""
        own = (self.role, *self.partners)
        return [player for player in self.rules.players if player not in own]

    @property
    def is_exact(self) -> bool:
        """Tell whether the state of every lane is known."""
        return len(self.states) == len(self.lanes)

    def legal(self) -> tuple[NDArray[np.int64], Rows]:
        """Return all legal moves: the index of the lane, and the row of the move."""
        first = np.searchsorted(self.owner, np.arange(len(self.lanes)))
        look = self.rules.look(self.states[first])
        counts = look.counts()[:, self.role]
        lane = np.repeat(np.arange(len(self.lanes)), counts)
        rows = [look.moves(i, self.role) for i in range(len(first))]
        return lane, np.concatenate([*rows, np.zeros(0, np.int32)])


class BestMoves:
    """Moves to choose from at random: for each index of a lane one row or more."""

    def __init__(self, lane: NDArray[np.int64], row: Rows) -> None:
        self.lane = lane
        self.row = row

    def firsts(self) -> BestMoves:
        """Return only the first of the moves in each lane."""
        order = np.lexsort((self.row, self.lane))
        lane, first = np.unique(self.lane[order], return_index=True)
        return BestMoves(lane, self.row[order][first])
