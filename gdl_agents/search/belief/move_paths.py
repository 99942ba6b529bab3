"""How histories of a game can continue."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.contract import NO_MOVE, Rows, States


@dataclass(frozen=True)
class MovePaths:
    """How histories can continue: each from one of them, by some steps."""

    origin: NDArray[np.int64]
    states: States
    # Legal moves, a step each: ways by roles; all NO_MOVE where a way is shorter.
    steps: tuple[Rows, ...] = ()

    def __len__(self) -> int:
        return len(self.origin)

    def pick(self, which: NDArray[np.integer] | NDArray[np.bool_]) -> MovePaths:
        """Return some of the ways."""
        return MovePaths(
            self.origin[which], self.states[which], tuple(step[which] for step in self.steps)
        )

    def find_open(self, players: list[int]) -> list[int]:
        """Return the numbers of steps in which ways of one history differ by players' moves."""
        found = []
        for number, step in enumerate(self.steps):
            moved = (step[:, players] >= 0).any(axis=1)
            moves = np.column_stack([self.origin, step[:, players]])[moved]
            if len(np.unique(moves, axis=0)) > len(np.unique(moves[:, 0])):
                found.append(number)
        return found

    @classmethod
    def join(cls, parts: list[MovePaths]) -> MovePaths:
        """Put ways together; shorter ones wait at their end."""
        longest = max(len(part.steps) for part in parts)
        roles = max((step.shape[1] for part in parts for step in part.steps), default=0)
        padded = [
            [*part.steps]
            + [np.full((len(part), roles), NO_MOVE, np.int32)] * (longest - len(part.steps))
            for part in parts
        ]
        return cls(
            np.concatenate([part.origin for part in parts]),
            np.concatenate([part.states for part in parts]),
            tuple(np.concatenate(step) for step in zip(*padded, strict=True)),
        )
