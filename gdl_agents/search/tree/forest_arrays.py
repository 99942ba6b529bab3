"""The arrays of trees: they grow as needed, and shrink to what is still of use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.tree.descendants import enter_again, enter_children, find_state, list_below
from gdl_agents.search.tree.tree_records import (
    ARM,
    ARMS,
    ASKED,
    COUNTS,
    ENTRIES,
    ENTRY,
    NODE,
    NODES,
    ONE_OF,
    OPENED,
    OUTCOME,
    OUTCOMES,
    READY,
    SEVERAL,
    Tree,
)
from gdl_env.engine.batch.contract import BatchGame, Outcomes, States

# Room to begin with: of what is not used yet the system has given no memory.
_FIRST_NODES = 1 << 16
_FIRST_ARMS = 1 << 18
_FIRST_ENTRIES = 1 << 10
_FIRST_OUTCOMES = 1 << 10
# So many nodes show how the visits of all of them are spread.
_SAMPLE = 1 << 16


class ForestArrays:
    """Nodes, arms, the table of children, and outcomes of experiments: see `tree_records`."""

    def __init__(self, rules: BatchGame, most_nodes: int, most_bytes: int = 0) -> None:
        """Make room; if `most_bytes` is given, for so much, so that nothing is ever moved."""
        self.most_nodes = most_nodes
        roles, words = len(rules.roles), rules.initial.shape[1]
        self._node_bytes = NODE.itemsize + 8 * (words + 2 * roles + 1)
        # The system gives memory for what is used.
        nodes = max(_FIRST_NODES, min(most_nodes, most_bytes // self._node_bytes))
        arms = max(_FIRST_ARMS, most_bytes // ARM.itemsize)
        self.counts = np.zeros(COUNTS, np.int64)
        self.nodes = np.zeros(nodes, NODE)
        self.states: States = np.zeros((nodes, words), np.uint64)
        self.starts = np.zeros((nodes, roles + 1), np.int64)
        self.solved = np.zeros((nodes, roles))
        self.arms = np.zeros(arms, ARM)
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

    @property
    def memory(self) -> int:
        """Return how many bytes all trees take."""
        nodes, arms = int(self.counts[NODES]), int(self.counts[ARMS])
        outcomes = int(self.counts[OUTCOMES]) * OUTCOME.itemsize
        taken: int = nodes * self._node_bytes + arms * ARM.itemsize + self.table.nbytes + outcomes
        return taken

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
            used = int(self.counts[NODES])
            for name in ('nodes', 'states', 'starts', 'solved'):
                setattr(self, name, _grow(getattr(self, name), used, size))

    def reserve_arms(self, count: int) -> None:
        """Make room for this many arms."""
        if count > len(self.arms):
            size = max(count, 2 * len(self.arms))
            self.arms = _grow(self.arms, int(self.counts[ARMS]), size)

    def reserve_entries(self, count: int) -> None:
        """Keep the table of children less than half full."""
        if 2 * count <= len(self.table):
            return
        size = max(1 << 14, 1 << (2 * count - 1).bit_length())
        known = self.table[self.table['child'] >= 0]
        self.table = _empty_table(size)
        enter_again(known, self.table)

    def add_outcomes(self, arms: NDArray[np.int64], outcomes: Outcomes) -> None:
        """Note what arms may become; sums of weights run up to 1 for each."""
        first = int(self.counts[OUTCOMES])
        end = first + len(outcomes.does)
        if end > len(self.outcomes):
            self.outcomes = _grow(self.outcomes, first, max(end, 2 * len(self.outcomes)))
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

    def list_tree(self, root: int, least: int = 0) -> NDArray[np.int64]:
        """Return a node and all below it, parents first.

        What is below nodes with fewer visits than `least`, or below proven ones, is left out.
        """
        order = np.empty(int(self.counts[NODES]) + 1, np.int64)
        found: NDArray[np.int64] = order[: list_below(root, self.nodes, least, order)].copy()
        return found

    def find_least(self, wanted: float) -> int:
        """Return how many visits nodes must have so that children of these are few enough.

        Of many nodes, only some are looked at.
        """
        count = int(self.counts[NODES])
        some = np.arange(0, count, max(1, count // _SAMPLE))
        visits = self.nodes['visits'][np.maximum(self.nodes['parent'][some], 0)]
        kept = int(len(some) * wanted / count)
        if kept >= len(some):
            return 1
        return int(np.partition(visits, len(visits) - 1 - kept)[len(visits) - 1 - kept]) + 1

    def keep(
        self,
        roots: NDArray[np.int64],
        other: ForestArrays,
        most: int,
        *,
        share: float = 1.0,
        drops_arms: bool = False,
    ) -> NDArray[np.int64]:
        """Copy the trees below some nodes to empty arrays; return where these nodes are now.

        If they have more than `most` nodes, those with few visits lose their children and, with
        `drops_arms`, also their arms: they are as if they had just been made, but for their
        visits.

        - share: about which share of all nodes is below these
        """
        is_pruned = self.counts[NODES] * share > most
        least = self.find_least(most / share) if is_pruned else 0
        lists = [self.list_tree(int(root), least) for root in roots]
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
        closed = np.flatnonzero(
            (self.nodes['child'][nodes] >= 0) & (other.nodes['child'][:count] < 0)
        )
        first, end = self.starts[nodes, 0], self.starts[nodes, -1].copy()
        if drops_arms:
            other.nodes['flags'][closed] &= ~np.uint8(OPENED | READY | ASKED)
            end[closed] = first[closed]
        sizes = end - first
        moved = np.concatenate([[0], np.cumsum(sizes)])
        arms = np.repeat(first - moved[:-1], sizes) + np.arange(moved[-1])
        starts = np.minimum(self.starts[nodes], end[:, None])
        other.starts[:count] = starts - (first - moved[:-1])[:, None]
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
        enter_children(children, parents, other.nodes, other.table)
        other.counts[ENTRIES] = len(children)


def _empty_table(size: int) -> NDArray[Any]:
    table = np.zeros(size, ENTRY)
    table['child'] = -1
    return table


def _grow(array: NDArray[Any], used: int, size: int) -> NDArray[Any]:
    """Return a longer array with the entries that are used."""
    longer = np.zeros((size, *array.shape[1:]), array.dtype)
    count = array[:used].nbytes
    # As plain bytes: numpy copies structures field by field.
    longer.view(np.uint8).ravel()[:count] = array.view(np.uint8).ravel()[:count]
    return longer
