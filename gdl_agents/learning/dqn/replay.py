"""What was experienced, kept in rings of packed arrays, and drawn again."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.learning.dqn.sum_tree import SumTree


@dataclass(frozen=True)
class Transitions:
    """Steps from a decision of a role to a later one, or to the end; one row each."""

    # Packed bits, as in `Bits`.
    observation: NDArray[np.uint8]
    action: NDArray[np.int32]
    # The discounted sum of the rewards in between.
    reward: NDArray[np.float32]
    next_observation: NDArray[np.uint8]
    next_legal: NDArray[np.uint8]
    # What the value of the next observation counts: 0 if the episode ended.
    discount: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.action)


@dataclass(frozen=True)
class Batch:
    """Transitions drawn from a replay."""

    transitions: Transitions
    index: NDArray[np.int64]
    # Corrects for drawing some more often than others; 1 at most.
    weight: NDArray[np.float32]


class ReplayBuffer:
    """A ring of transitions: the oldest make room for new ones.

    With `exponent` 0 all are as likely; else in proportion to their priority to that power.
    """

    def __init__(
        self, capacity: int, observation_bytes: int, action_bytes: int, exponent: float = 0.0
    ) -> None:
        self.capacity = capacity
        self._rows = Transitions(
            np.zeros((capacity, observation_bytes), np.uint8),
            np.zeros(capacity, np.int32),
            np.zeros(capacity, np.float32),
            np.zeros((capacity, observation_bytes), np.uint8),
            np.zeros((capacity, action_bytes), np.uint8),
            np.zeros(capacity, np.float32),
        )
        self._exponent = exponent
        self._tree = SumTree(capacity) if exponent else None
        self._highest = 1.0
        # How many were ever added.
        self.added = 0

    def __len__(self) -> int:
        return min(self.added, self.capacity)

    def add(self, transitions: Transitions) -> None:
        """Add transitions. They are drawn with the highest priority known, to be seen soon."""
        skipped = max(0, len(transitions) - self.capacity)
        count = len(transitions) - skipped
        if not count:
            return
        place = (self.added + skipped + np.arange(count)) % self.capacity
        for field in fields(Transitions):
            getattr(self._rows, field.name)[place] = getattr(transitions, field.name)[skipped:]
        if self._tree is not None:
            self._tree.set(place, self._highest**self._exponent)
        self.added += len(transitions)

    def draw(self, count: int, correction: float, chance: np.random.Generator) -> Batch:
        """Draw transitions; `correction` from 0 to 1 says how much of the bias is taken back."""
        size = len(self)
        if self._tree is None:
            index = chance.integers(0, size, count)
            weight = np.ones(count, np.float32)
        else:
            # One from each of `count` equal parts: less variance than independent draws.
            mass = (np.arange(count) + chance.random(count)) * (self._tree.total / count)
            index = self._tree.find(mass)
            share = self._tree.weights[index] / self._tree.total
            relative = (size * share) ** -correction
            weight = (relative / relative.max()).astype(np.float32)
        rows = Transitions(*(getattr(self._rows, f.name)[index] for f in fields(Transitions)))
        return Batch(rows, index, weight)

    def set_priority(self, index: NDArray[np.int64], priority: NDArray[np.float64]) -> None:
        """Say how much there was to learn from transitions that were drawn."""
        if self._tree is None:
            return
        # None falls to 0: what cannot be drawn would never change again.
        priority = priority + 1e-6
        self._highest = max(self._highest, float(priority.max()))
        self._tree.set(index, priority**self._exponent)

    def to_tree(self) -> dict[str, Any]:
        """Return everything, to be restored later."""
        size = len(self)
        kept = {f.name: getattr(self._rows, f.name)[:size] for f in fields(Transitions)}
        weights = self._tree.weights[:size].copy() if self._tree is not None else None
        return {'rows': kept, 'added': self.added, 'highest': self._highest, 'weights': weights}

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned."""
        self.added = tree['added']
        self._highest = tree['highest']
        size = len(self)
        for name, rows in tree['rows'].items():
            getattr(self._rows, name)[:size] = rows
        if self._tree is not None:
            weights = np.zeros(self.capacity)
            weights[:size] = tree['weights']
            self._tree.set_all(weights)
