"""How states were reached: a tree of steps that grows in batches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.contract import NO_MOVE, Rows


class Trail:
    """Steps, each with the one before it.

    Numbers below 0 stand for what trails begin with: -1 for the first state, -2 for the second.
    """

    def __init__(self, roles: int) -> None:
        self._roles = roles
        self._parents: list[NDArray[np.int64]] = []
        self._legal: list[Rows] = []
        self._does: list[Rows] = []
        self._count = 0

    @staticmethod
    def mark_starts(count: int) -> NDArray[np.int64]:
        """Return the nodes of states with which trails begin."""
        return -1 - np.arange(count, dtype=np.int64)

    def add(self, parents: NDArray[np.int64], legal: Rows, does: Rows) -> NDArray[np.int64]:
        """Note a step after each of some nodes: legal moves and what was done, by roles."""
        self._parents.append(parents)
        self._legal.append(legal)
        self._does.append(does)
        first, self._count = self._count, self._count + len(parents)
        return np.arange(first, self._count)

    def read_paths(
        self, nodes: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], list[Rows], list[Rows]]:
        """Return where the ways to some nodes begin, legal moves and what was done on them.

        Each step is nodes by roles; shorter ways have steps without a move at their end.
        """
        nothing = np.full((1, self._roles), NO_MOVE, np.int32)
        parents = np.concatenate([*self._parents, np.zeros(0, np.int64)])
        legal = np.concatenate([*self._legal, nothing])
        does = np.concatenate([*self._does, nothing])
        chain = [nodes]
        while (chain[-1] >= 0).any():
            before = chain[-1].copy()
            moved = before >= 0
            before[moved] = parents[before[moved]]
            chain.append(before)
        # From the end to the beginning, and aligned at the beginning.
        ways = np.maximum(np.array(chain[-2::-1], np.int64).reshape(-1, len(nodes)), -1)
        order = np.argsort(ways < 0, axis=0, kind='stable')
        ways = np.take_along_axis(ways, order, axis=0)
        return -1 - chain[-1], [legal[way] for way in ways], [does[way] for way in ways]
