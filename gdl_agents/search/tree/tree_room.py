"""When trees are too full, and how much of them is kept."""

from __future__ import annotations

from math import isinf

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.tree.forest_arrays import ForestArrays
from gdl_agents.search.tree.tree_records import ARMS, NODES
from gdl_env.engine.batch.contract import BatchGame

# How long it takes to look at a node, and to copy a node or an arm, about [s].
LOOK_SECONDS, COPY_SECONDS = 1e-7, 3e-7
# So many are always kept: to copy them takes no time.
_FEW = 5_000


class TreeRoom:
    """How much room trees have.

    Copying takes seconds where there are millions of nodes, so a player with little time keeps
    fewer of them: those that were visited most.
    """

    def __init__(self, rules: BatchGame, most_nodes: int, most_bytes: int, batch: int) -> None:
        """Take the limits; most_bytes 0 is none.

        - batch: how many nodes are added at a time
        """
        self._rules = rules
        self._most_nodes = most_nodes
        self._most_bytes = most_bytes
        self._batch = min(batch, most_nodes // 4)
        # Nodes that were left the last time that some were forgotten.
        self._left = 0

    def clear(self) -> None:
        """Begin as if nothing was forgotten yet."""
        self._left = 0

    def is_short(self, arrays: ForestArrays) -> bool:
        """Tell whether trees are so full that some of them must be forgotten."""
        count = int(arrays.counts[NODES])
        is_full = count + self._batch > self._most_nodes
        is_large = 0 < self._most_bytes < arrays.memory
        return (is_full or is_large) and count >= 1.25 * self._left

    def lacks_time(self, arrays: ForestArrays, seconds: float) -> bool:
        """Tell whether some must be forgotten, and the time is too short to find out which."""
        return self.is_short(arrays) and 2 * int(arrays.counts[NODES]) * LOOK_SECONDS > seconds

    def shrink(
        self,
        arrays: ForestArrays,
        roots: NDArray[np.int64],
        seconds: float,
        *,
        drops_arms: bool,
    ) -> tuple[ForestArrays, NDArray[np.int64]]:
        """Return arrays with half of the nodes, and where the roots are, if there is no room.

        What is below other nodes than these roots is left out, too. Fewer are kept where half of
        them cannot be copied in a quarter of the time.
        """
        if not self.is_short(arrays):
            return arrays, roots
        count = int(arrays.counts[NODES])
        other = ForestArrays(self._rules, self._most_nodes, self._most_bytes)
        wanted = min(count // 2, find_most(arrays, seconds / 4))
        roots = arrays.keep(roots, other, wanted, drops_arms=drops_arms)
        self._left = int(other.counts[NODES])
        return other, roots


def find_most(arrays: ForestArrays, seconds: float) -> int:
    """Return how many nodes can be copied with their arms in a time."""
    if isinf(seconds):
        return 1 << 60
    width = 1 + float(arrays.counts[ARMS]) / max(1.0, float(arrays.counts[NODES]))
    return max(_FEW, int(seconds / (COPY_SECONDS * width)))
