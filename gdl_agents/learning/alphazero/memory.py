"""Positions to learn from: the last ones that were decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class SearchedPosition:
    """A decision in a game: what was seen, as packed bits, by which player, what search said."""

    seen: NDArray[np.uint8]
    player: int
    # For each action how good search found it; adds up to 1.
    policy: NDArray[np.float32]
    # What search found that each player will get, from 0 to 1, and whether that is proved.
    value: NDArray[np.float32]
    is_proved: bool


@dataclass
class Memory:
    """Positions of games that have ended, with what each player should expect, from 0 to 1.

    When it is full, new positions take the places of the oldest.
    """

    capacity: int
    seen: NDArray[np.uint8]
    player: NDArray[np.int64]
    policy: NDArray[np.float32]
    value: NDArray[np.float32]
    # Positions that were ever added.
    count: int = 0

    @classmethod
    def empty(cls, capacity: int, seen: int, actions: int, players: int) -> Memory:
        """Return a memory without positions, for the sizes of a game."""
        return cls(
            capacity,
            np.zeros((capacity, -(-seen // 8)), np.uint8),
            np.zeros(capacity, np.int64),
            np.zeros((capacity, actions), np.float32),
            np.zeros((capacity, players), np.float32),
        )

    @property
    def size(self) -> int:
        """Return how many positions are held."""
        return min(self.count, self.capacity)

    def add(self, position: SearchedPosition, value: NDArray[np.float32]) -> None:
        """Add a position, with the values to learn."""
        place = self.count % self.capacity
        self.seen[place], self.player[place] = position.seen, position.player
        self.policy[place], self.value[place] = position.policy, value
        self.count += 1

    # ---- continuing later

    def to_tree(self) -> list[NDArray[Any]]:
        """Return all that is held, column by column."""
        return [column[: self.size] for column in self._columns]

    def restore(self, held: list[NDArray[Any]], count: int) -> None:
        """Take over what `to_tree` returned, and how many positions were ever added."""
        for mine, theirs in zip(self._columns, held, strict=True):
            mine[: len(theirs)] = theirs
        self.count = count

    @property
    def _columns(self) -> tuple[NDArray[Any], ...]:
        return self.seen, self.player, self.policy, self.value
