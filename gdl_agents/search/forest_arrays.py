"""The arrays of trees: they grow as needed, and shrink to what is still of use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.kernels.descendants import find_state, list_below
from gdl_agents.search.kernels.tree import ARMS, ENTRIES, NODES, OUTCOMES, find_child
from gdl_agents.search.rules import Outcomes, Rules, States

_FIRST_NODES = 1 << 12
_FIRST_ARMS = 1 << 15
# Arrays of nodes that hold no numbers of other nodes or arms.
_COPIED = ('states', 'flags', 'decider', 'visits', 'codes', 'last', 'solved')


class ForestArrays:
    """Nodes, arms, the table of children, and outcomes of experiments."""

    def __init__(self, rules: Rules, most_nodes: int, has_late: bool = False) -> None:
        self.most_nodes = most_nodes
        roles, words = len(rules.roles), rules.initial.shape[1]
        size, arms = _FIRST_NODES, _FIRST_ARMS
        self.counts = np.zeros(6, np.int64)
        self.states: States = np.zeros((size, words), np.uint64)
        self.flags = np.zeros(size, np.uint8)
        self.starts = np.zeros((size, roles + 1), np.int64)
        self.decider = np.zeros(size, np.int32)
        self.links = np.zeros((size, 3), np.int32)
        self.visits = np.zeros(size, np.int64)
        self.codes = np.zeros(size, np.uint64)
        # The best of the children whose values are proven, for who decides; -1: none.
        self.bests = np.full(size, -1, np.int32)
        self.last = np.zeros(size, np.int64)
        self.solved = np.zeros((size, roles))
        self.arms: tuple[NDArray[Any], ...] = (
            np.zeros(arms, np.int64),
            np.zeros(arms),
            np.zeros(arms, np.float32),
            np.zeros(arms, np.int32),
            np.zeros(arms, np.int32),
            *(np.zeros(arms if has_late else 0, np.float32) for _ in range(2)),
        )
        self.arm_rows = np.zeros(arms, np.int32)
        self.arm_does = np.zeros(arms, np.int32)
        self.outcome_first = np.zeros(arms if rules.has_experiments else 1, np.int64)
        self.outcome_does = np.zeros(1024, np.int32)
        self.outcome_sums = np.zeros(1024)
        self._has_outcomes = rules.has_experiments
        self.table = np.zeros(1 << 10, np.uint64), np.full(1 << 10, -1, np.int32)

    @property
    def tree(self) -> tuple[NDArray[Any], ...]:
        """Return the arrays of nodes that kernels work on."""
        return (
            self.flags,
            self.starts,
            self.decider,
            self.links,
            self.visits,
            self.codes,
            self.bests,
        )

    @property
    def chance(self) -> tuple[NDArray[Any], ...]:
        """Return what arms stand for: legal moves, what is done, outcomes of experiments."""
        return (
            self.arm_rows,
            self.arm_does,
            self.outcome_first,
            self.outcome_does,
            self.outcome_sums,
        )

    # ---- growing

    def clear_nodes(self, nodes: NDArray[np.int64]) -> None:
        """Make nodes new: nothing is known of them."""
        self.flags[nodes] = 0
        self.visits[nodes] = 0
        self.bests[nodes] = -1
        self.links[nodes] = -1

    def reserve_nodes(self, count: int) -> None:
        """Make room for so many nodes."""
        size = len(self.flags)
        if count <= size:
            return
        size = max(count, 2 * size)
        for name in (*_COPIED, 'starts', 'links', 'bests'):
            setattr(self, name, _grown(getattr(self, name), size))

    def reserve_arms(self, count: int) -> None:
        """Make room for so many arms."""
        size = len(self.arm_rows)
        if count <= size:
            return
        size = max(count, 2 * size)
        self.arms = tuple(_grown(array, size) if len(array) else array for array in self.arms)
        self.arm_rows, self.arm_does = _grown(self.arm_rows, size), _grown(self.arm_does, size)
        if self._has_outcomes:
            self.outcome_first = _grown(self.outcome_first, size)

    def reserve_entries(self, count: int) -> None:
        """Keep the table of children less than half full."""
        if 2 * count <= len(self.table[0]):
            return
        size = max(1 << 14, 1 << (2 * count - 1).bit_length())
        known = np.flatnonzero(self.table[1] >= 0)
        keys, values = self.table[0][known], self.table[1][known]
        self.table = np.zeros(size, np.uint64), np.full(size, -1, np.int32)
        mask = size - 1
        for key, value in zip(keys.tolist(), values.tolist(), strict=True):
            place = (key >> 20) & mask
            while self.table[1][place] >= 0:
                place = (place + 1) & mask
            self.table[0][place], self.table[1][place] = key, value

    def add_outcomes(self, arms: NDArray[np.int64], outcomes: Outcomes) -> None:
        """Note what arms may become; sums of weights run up to 1 for each."""
        first = int(self.counts[OUTCOMES])
        end = first + len(outcomes.does)
        if end > len(self.outcome_does):
            size = max(end, 2 * len(self.outcome_does))
            self.outcome_does = _grown(self.outcome_does, size)
            self.outcome_sums = _grown(self.outcome_sums, size)
        self.outcome_first[arms] = first + outcomes.starts[:-1]
        self.outcome_does[first:end] = outcomes.does
        sums = np.cumsum(outcomes.weights)
        before = np.concatenate([[0.0], sums])[outcomes.starts[:-1]]
        sums -= np.repeat(before, np.diff(outcomes.starts))
        sums[outcomes.starts[1:] - 1] = 1.0
        self.outcome_sums[first:end] = sums
        self.counts[OUTCOMES] = end

    # ---- going on from a later state

    def find(self, root: int, state: States, deepest: int) -> int:
        """Return the most visited node with a state below a root, or itself; -1 if none."""
        found: int = find_state(root, state, self.states, self.links, self.visits, deepest)
        return found

    def keep(self, roots: NDArray[np.int64], other: ForestArrays) -> NDArray[np.int64]:
        """Copy the trees below some nodes to empty arrays; return where these nodes are now."""
        order = np.empty(int(self.counts[NODES]) + 1, np.int64)
        lists = []
        for root in roots:
            lists.append(order[: list_below(int(root), self.links, order)].copy())
        nodes = np.concatenate([*lists, np.zeros(0, np.int64)])
        firsts = np.cumsum([0, *map(len, lists)])[:-1]
        count = len(nodes)
        other.reserve_nodes(count)
        number = np.full(int(self.counts[NODES]) + 1, -1, np.int64)
        number[nodes] = np.arange(count)
        for name in _COPIED:
            getattr(other, name)[:count] = getattr(self, name)[nodes]
        # -1, for none, is the last entry.
        other.bests[:count] = number[self.bests[nodes]]
        other.links[:count] = number[self.links[nodes]]
        other.links[firsts, 0] = other.links[firsts, 2] = -1
        first, end = self.starts[nodes, 0], self.starts[nodes, -1]
        sizes = end - first
        moved = np.concatenate([[0], np.cumsum(sizes)])
        arms = np.repeat(first - moved[:-1], sizes) + np.arange(moved[-1])
        other.reserve_arms(len(arms))
        other.starts[:count] = self.starts[nodes] - (first - moved[:-1])[:, None]
        for mine, theirs in zip(self.arms, other.arms, strict=True):
            if len(mine):
                theirs[: len(arms)] = mine[arms]
        other.arms[4][: len(arms)] = number[self.arms[4][arms]]
        other.arm_rows[: len(arms)] = self.arm_rows[arms]
        other.arm_does[: len(arms)] = self.arm_does[arms]
        if self._has_outcomes:
            other.outcome_first[: len(arms)] = self.outcome_first[arms]
            other.outcome_does, other.outcome_sums = self.outcome_does, self.outcome_sums
            other.counts[OUTCOMES] = self.counts[OUTCOMES]
        other.counts[NODES], other.counts[ARMS] = count, len(arms)
        self._keep_table(other, count)
        return firsts

    def _keep_table(self, other: ForestArrays, count: int) -> None:
        """Enter the children that are found by table."""
        parents = other.links[:count, 0]
        children = np.flatnonzero((parents >= 0) & (other.decider[parents] == -2))
        other.reserve_entries(len(children))
        for child in children.tolist():
            place, key = find_child(*other.table, int(parents[child]), other.codes[child])
            other.table[0][place], other.table[1][place] = key, child
        other.counts[ENTRIES] = len(children)


def _grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    more = np.zeros((size, *array.shape[1:]), array.dtype)
    more[: len(array)] = array
    return more
