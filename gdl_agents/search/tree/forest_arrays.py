"""The arrays of trees: they grow as needed, and shrink to what is still of use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.tree.descendants import find_state, list_below
from gdl_agents.search.tree.tree_kernels import find_child
from gdl_agents.search.tree.tree_records import (
    ARM,
    ARMS,
    ENTRIES,
    ENTRY,
    NODE,
    NODES,
    ONE_OF,
    OUTCOME,
    OUTCOMES,
    SEVERAL,
    Tree,
)
from gdl_env.engine.batch.contract import BatchGame, Outcomes, States

_FIRST_NODES = 1 << 14
_FIRST_ARMS = 1 << 17
_FIRST_ENTRIES = 1 << 10
_FIRST_OUTCOMES = 1 << 10


class ForestArrays:
    """Nodes, arms, the table of children, and outcomes of experiments: see `tree_records`."""

    def __init__(self, rules: BatchGame, most_nodes: int) -> None:
        self.most_nodes = most_nodes
        roles, words = len(rules.roles), rules.initial.shape[1]
        self.counts = np.zeros(6, np.int64)
        self.nodes = np.zeros(_FIRST_NODES, NODE)
        self.states: States = np.zeros((_FIRST_NODES, words), np.uint64)
        self.starts = np.zeros((_FIRST_NODES, roles + 1), np.int64)
        self.solved = np.zeros((_FIRST_NODES, roles))
        self.arms = np.zeros(_FIRST_ARMS, ARM)
        self.outcomes = np.zeros(_FIRST_OUTCOMES, OUTCOME)
        self.table = _empty_table(_FIRST_ENTRIES)

    @property
    def tree(self) -> Tree:
        """Return all arrays, as kernels take them."""
        return Tree(
            self.nodes,
            self.states,
            self.starts,
            self.solved,
            self.arms,
            self.table,
            self.outcomes,
            self.counts,
        )

    def clear(self) -> None:
        """Forget everything; the room stays."""
        if self.counts[ENTRIES]:
            self.table['child'] = -1
        self.counts[:] = 0

    # ---- growing

    def clear_nodes(self, nodes: NDArray[np.int64]) -> None:
        """Make nodes new: nothing is known of them."""
        self.nodes[nodes] = np.zeros(1, NODE)
        for name in ('parent', 'child', 'sibling', 'best'):
            self.nodes[name][nodes] = -1

    def reserve_nodes(self, count: int) -> None:
        """Make room for this many nodes."""
        size = len(self.nodes)
        if count > size:
            size = max(count, 2 * size)
            for name in ('nodes', 'states', 'starts', 'solved'):
                setattr(self, name, _grow(getattr(self, name), size))

    def reserve_arms(self, count: int) -> None:
        """Make room for this many arms."""
        if count > len(self.arms):
            self.arms = _grow(self.arms, max(count, 2 * len(self.arms)))

    def reserve_entries(self, count: int) -> None:
        """Keep the table of children less than half full."""
        if 2 * count <= len(self.table):
            return
        size = max(1 << 14, 1 << (2 * count - 1).bit_length())
        known = self.table[self.table['child'] >= 0]
        self.table = _empty_table(size)
        for entry in known:
            place = (int(entry['key']) >> 20) & (size - 1)
            while self.table[place]['child'] >= 0:
                place = (place + 1) & (size - 1)
            self.table[place] = entry

    def add_outcomes(self, arms: NDArray[np.int64], outcomes: Outcomes) -> None:
        """Note what arms may become; sums of weights run up to 1 for each."""
        first = int(self.counts[OUTCOMES])
        end = first + len(outcomes.does)
        if end > len(self.outcomes):
            self.outcomes = _grow(self.outcomes, max(end, 2 * len(self.outcomes)))
        self.arms['outcome'][arms] = first + outcomes.starts[:-1]
        self.outcomes['does'][first:end] = outcomes.does
        sums = np.cumsum(outcomes.weights)
        before = np.concatenate([[0.0], sums])[outcomes.starts[:-1]]
        sums -= np.repeat(before, np.diff(outcomes.starts))
        sums[outcomes.starts[1:] - 1] = 1.0
        self.outcomes['sum'][first:end] = sums
        self.counts[OUTCOMES] = end

    # ---- continuing from a later state

    def find(self, root: int, state: States, deepest: int) -> int:
        """Return the most visited node with a state below a root, or itself; -1 if none."""
        found: int = find_state(root, state, self.nodes, self.states, deepest)
        return found

    def let_move(self, root: int, role: int) -> None:
        """Make it certain that a role moves in a node, where that would be drawn."""
        node = self.nodes[root]
        if not node['flags'] & ONE_OF:
            return
        first, end = int(self.starts[root, role]), int(self.starts[root, role + 1])
        self.starts[root, : role + 1] = first
        self.starts[root, role + 1 :] = end
        node['flags'] &= ~np.uint8(ONE_OF)
        node['visits'] = self.arms['visits'][first:end].sum()

    def list_tree(self, root: int) -> NDArray[np.int64]:
        """Return a node and all below it, parents first."""
        order = np.empty(int(self.counts[NODES]) + 1, np.int64)
        found: NDArray[np.int64] = order[: list_below(root, self.nodes, order)].copy()
        return found

    def keep(self, roots: NDArray[np.int64], other: ForestArrays) -> NDArray[np.int64]:
        """Copy the trees below some nodes to empty arrays; return where these nodes are now."""
        lists = [self.list_tree(int(root)) for root in roots]
        nodes = np.concatenate([*lists, np.zeros(0, np.int64)])
        firsts = np.cumsum([0, *map(len, lists)])[:-1]
        count = len(nodes)
        other.reserve_nodes(count)
        for mine, theirs in (
            (self.nodes, other.nodes),
            (self.states, other.states),
            (self.solved, other.solved),
        ):
            theirs[:count] = mine[nodes]
        # Numbers of nodes and arms are other ones now; -1, for none, is the last entry.
        number = np.full(int(self.counts[NODES]) + 1, -1, np.int64)
        number[nodes] = np.arange(count)
        for name in ('parent', 'child', 'sibling', 'best'):
            other.nodes[name][:count] = number[self.nodes[name][nodes]]
        other.nodes['parent'][firsts] = other.nodes['sibling'][firsts] = -1
        first, end = self.starts[nodes, 0], self.starts[nodes, -1]
        sizes = end - first
        moved = np.concatenate([[0], np.cumsum(sizes)])
        arms = np.repeat(first - moved[:-1], sizes) + np.arange(moved[-1])
        other.starts[:count] = self.starts[nodes] - (first - moved[:-1])[:, None]
        other.reserve_arms(len(arms))
        other.arms[: len(arms)] = self.arms[arms]
        other.arms['child'][: len(arms)] = number[self.arms['child'][arms]]
        other.outcomes = self.outcomes
        other.counts[OUTCOMES] = self.counts[OUTCOMES]
        other.counts[NODES], other.counts[ARMS] = count, len(arms)
        self._keep_table(other, count)
        return firsts

    def _keep_table(self, other: ForestArrays, count: int) -> None:
        """Enter the children that are found by table."""
        parents = other.nodes['parent'][:count]
        children = np.flatnonzero((parents >= 0) & (other.nodes['decider'][parents] == SEVERAL))
        other.reserve_entries(len(children))
        for child in children.tolist():
            place, key = find_child(other.table, int(parents[child]), other.nodes['code'][child])
            other.table[place] = key, child
        other.counts[ENTRIES] = len(children)


def _empty_table(size: int) -> NDArray[Any]:
    table = np.zeros(size, ENTRY)
    table['child'] = -1
    return table


def _grow(array: NDArray[Any], size: int) -> NDArray[Any]:
    longer = np.zeros((size, *array.shape[1:]), array.dtype)
    # As plain bytes: numpy copies structures field by field.
    longer.view(np.uint8).ravel()[: array.nbytes] = array.view(np.uint8).ravel()
    return longer
