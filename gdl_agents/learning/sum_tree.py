"""Drawing in proportion to weights that change, a batch at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class SumTree:
    """Weights as the leaves of a binary tree in which every node is the sum of its two children.

    All operations take batches: a batch goes level by level, so that there are as many steps in
    Python as the tree is high. Sums are computed anew from their children, so errors never grow.
    """

    def __init__(self, size: int) -> None:
        self._height = max(1, (size - 1).bit_length())
        self._first = 1 << self._height
        # Node 1 is the root; the children of node i are 2 i and 2 i + 1.
        self._nodes = np.zeros(2 * self._first, np.float64)
        self.size = size

    @property
    def total(self) -> float:
        """Return the sum of all weights."""
        return float(self._nodes[1])

    @property
    def weights(self) -> NDArray[np.float64]:
        """Return the weights."""
        return self._nodes[self._first : self._first + self.size]

    def set(self, index: NDArray[np.int64], weight: NDArray[np.float64] | float) -> None:
        """Change weights. Where an index comes twice, the last one counts."""
        node = index + self._first
        self._nodes[node] = weight
        for _ in range(self._height):
            node = node >> 1
            self._nodes[node] = self._nodes[2 * node] + self._nodes[2 * node + 1]

    def set_all(self, weights: NDArray[np.float64]) -> None:
        """Change all weights."""
        self._nodes[self._first : self._first + self.size] = weights
        for level in range(self._height - 1, -1, -1):
            low = 1 << level
            self._nodes[low : 2 * low] = self._nodes[2 * low : 4 * low].reshape(low, 2).sum(axis=1)

    def find(self, mass: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the leaves that masses from 0 up to the total fall on."""
        node = np.ones(len(mass), np.int64)
        left = mass.copy()
        for _ in range(self._height):
            node = 2 * node
            weight = self._nodes[node]
            # A right branch without weight is never taken, however the sums were rounded.
            goes_right = (left >= weight) & (self._nodes[node + 1] > 0)
            left -= np.where(goes_right, weight, 0.0)
            node += goes_right
        return np.minimum(node - self._first, self.size - 1)
