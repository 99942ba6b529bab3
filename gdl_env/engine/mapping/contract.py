"""The mapping contract: observations are 0/1 vectors, actions are indices.

A mapping belongs to one game and keeps no state. Four answers make one: two sizes, `observe` and
`move`. All others follow from them and may be overridden.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.contract import Move, Role, State
from gdl_env.engine.mapping.errors import EncodingError
from gdl_env.engine.mapping.planes import Planes
from gdl_env.language.game import Game

# Entries are 0 or 1 unless a manual mapping says otherwise.
Observation: TypeAlias = NDArray[np.uint8]
Mask: TypeAlias = NDArray[np.bool_]


class Encoding(ABC):
    """What one game looks like to a learning player.

    All roles share one table of observations and one of actions: the same index means the same
    fact or move to each of them.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._actions: dict[Role, dict[Move, int]] = {}

    # ---- what every mapping answers

    @property
    @abstractmethod
    def observation_size(self) -> int:
        """Return the length of an observation."""

    @property
    @abstractmethod
    def action_size(self) -> int:
        """Return the number of actions."""

    @abstractmethod
    def observe(self, view: State, role: Role) -> Observation:
        """Return what a role sees as a vector.

        `view` holds the facts shown to the role (`Engine.view`), in a game of percepts what it
        perceived. Raises EncodingError for a fact that the mapping does not know.
        """

    @abstractmethod
    def move(self, role: Role, index: int) -> Move:
        """Return the move of an action; no two actions of a role are the same move.

        The move may name an experiment, as `(roll dice)`, and need not be legal now. Raises
        EncodingError where there is no such index.
        """

    # ---- what follows from it

    def action_index(self, role: Role, move: Move) -> int:
        """Return the action of a move. Raises EncodingError where it has none."""
        if role not in self._actions:
            moves = (self.move(role, index) for index in range(self.action_size))
            self._actions[role] = {known: index for index, known in enumerate(moves)}
        try:
            return self._actions[role][move]
        except KeyError:
            message = f'{move} of {role} is none of {self.action_size} actions'
            raise EncodingError(message) from None

    def observe_batch(self, views: Sequence[State], role: Role) -> Observation:
        """Return the observations of several views, one a row."""
        batch = np.zeros((len(views), self.observation_size), np.uint8)
        for row, view in enumerate(views):
            batch[row] = self.observe(view, role)
        return batch

    def action_mask(self, role: Role, moves: Iterable[Move]) -> Mask:
        """Return a vector that is true at the actions of these moves, such as the legal ones."""
        mask = np.zeros(self.action_size, np.bool_)
        for move in moves:
            mask[self.action_index(role, move)] = True
        return mask

    def observation_name(self, index: int) -> str:
        """Return what an entry of an observation stands for, for people."""
        return f'feature {index}'

    def planes(self) -> Planes | None:
        """Return how observations can be laid out as a board; None where there is none."""
        return None
