"""Drawing in proportion to weights that change, a batch at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel


class SumTree:
    """Weights as the leaves of a binary tree in which every node is the sum of its two children.

    All operations take batches, in compiled loops. Sums are computed again from their children, so
    errors never grow.
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
        weights = np.broadcast_to(np.asarray(weight, np.float64), index.shape)
        _set(self._nodes, index + self._first, weights)

    def set_all(self, weights: NDArray[np.float64]) -> None:
        """Change all weights."""
        self._nodes[self._first : self._first + self.size] = weights
        for level in range(self._height - 1, -1, -1):
            low = 1 << level
            self._nodes[low : 2 * low] = self._nodes[2 * low : 4 * low].reshape(low, 2).sum(axis=1)

    def find(self, mass: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the leaves that masses from 0 up to the total fall on."""
        leaf: NDArray[np.int64] = _find(self._nodes, mass, self._height) - self._first
        return np.minimum(leaf, self.size - 1)


@compile_kernel()
def _set(nodes, leaves, weights):  # type: ignore[no-untyped-def]
    """Change leaves, and all sums above them."""
    for place in range(len(leaves)):
        node = leaves[place]
        nodes[node] = weights[place]
        node >>= 1
        while node:
            nodes[node] = nodes[2 * node] + nodes[2 * node + 1]
            node >>= 1


@compile_kernel()
def _find(nodes, mass, height):  # type: ignore[no-untyped-def]
    """Return the leaves that masses fall on."""
    found = np.empty(len(mass), np.int64)
    for place in range(len(mass)):
        node, left = 1, mass[place]
        for _ in range(height):
            node *= 2
            # A right branch without weight is never taken, however the sums were rounded.
            if left >= nodes[node] and nodes[node + 1] > 0:
                left -= nodes[node]
                node += 1
        found[place] = node
    return found
