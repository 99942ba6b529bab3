"""Trees that grow in batches: many descents, then one question to the rules for all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.expansion import find_acting
from gdl_agents.search.forest_arrays import ForestArrays
from gdl_agents.search.kernels.tree import (
    ARMS,
    ENTRIES,
    LEAVES,
    NODES,
    SOLVED,
    WANTED,
    attach,
    back_up,
    select,
)
from gdl_agents.search.rules import Rules, States

# Leaves of a batch at most, and steps from a root.
_LEAVES = 4096
_DEEPEST = 256
# Children that are made all at once.
FAMILY = 64
# Random games are broken off after so many steps.
LONGEST = 2_000

# From (forest, nodes) to the values of nodes for all roles, 0 to 1; it may set priors of arms.
Judge: TypeAlias = Callable[['Forest', NDArray[np.int64]], NDArray[np.float64]]


class Forest:
    """Trees of one game, each from a root state.

    A node's children are all made when it is visited for the second time, where one role decides
    and they are not too many; each is judged, by a random game or by `judge`. What is proven, a
    final state or what follows from them, is not visited without need.
    """

    def __init__(
        self,
        rules: Rules,
        key: int,
        most_nodes: int = 400_000,
        exploration: float = 0.7,
        judge: Judge | None = None,
        rollouts: int = 1,
        family: int = FAMILY,
        rave: float = 0.0,
    ) -> None:
        self.rules = rules
        # Where it is not known what random games did, nothing can be learned from it.
        rate = float(rave) if judge is None and rules.trace_words else 0.0
        self._has_late = rate > 0
        self.arrays = ForestArrays(rules, most_nodes, self._has_late)
        self._key = key
        self._judge = judge
        self._rollouts = rollouts
        mode = 0 if judge is None else 1
        # All of them must find room in a batch.
        family = min(family, _LEAVES // 2) if judge is None else 0
        self._settings = mode, family, most_nodes, exploration, rules.nature, rate
        self._random = np.array([key & (2**64 - 1)], np.uint64)
        roles = len(rules.roles)
        self._path_nodes = np.zeros((_LEAVES, _DEEPEST), np.int32)
        self._path_arms = np.zeros((_LEAVES, _DEEPEST, roles), np.int32)
        self._lengths = np.zeros(_LEAVES, np.int64)
        self._leaves = np.zeros(_LEAVES, np.int64)
        self._wanted_parent = np.zeros(_LEAVES, np.int64)
        self._wanted_does = np.zeros((_LEAVES, roles), np.int32)
        self._batches = 0
        # Random games, or judgements, so far.
        self.judged = 0

    def plant(self, states: States, mover: int) -> NDArray[np.int64]:
        """Add roots, in which a role is to move; return their numbers."""
        arrays = self.arrays
        first = int(arrays.counts[NODES])
        arrays.reserve_nodes(first + len(states))
        nodes = np.arange(first, first + len(states))
        arrays.counts[NODES] += len(states)
        arrays.clear_nodes(nodes)
        arrays.states[nodes] = states
        arrays.last[nodes] = mover
        self._look(nodes, np.full(len(states), mover))
        if self._judge is not None:
            self._judge(self, nodes)
        return nodes

    def grow(self, roots: NDArray[np.int64]) -> int:
        """Go down from each of the roots once, judge what is reached; return how many were."""
        arrays, counts = self.arrays, self.arrays.counts
        done = 0
        judged = self.judged
        while done < len(roots):
            counts[WANTED] = counts[LEAVES] = 0
            arrays.reserve_nodes(int(counts[NODES]) + _LEAVES)
            arrays.reserve_entries(int(counts[ENTRIES]) + _LEAVES)
            done += int(
                select(
                    roots[done:],
                    arrays.tree,
                    arrays.arms,
                    arrays.table,
                    arrays.chance,
                    self._settings,
                    counts,
                    self._path_nodes,
                    self._path_arms,
                    self._lengths,
                    self._leaves,
                    self._wanted_parent,
                    self._wanted_does,
                    self._random,
                )
            )
            self._make()
            self._value()
        return self.judged - judged

    # ---- inside

    def _make(self) -> None:
        """Make the nodes that were asked for."""
        arrays = self.arrays
        count = int(arrays.counts[WANTED])
        if not count:
            return
        end = int(arrays.counts[NODES])
        nodes = np.arange(end - count, end)
        parents, does = self._wanted_parent[:count], self._wanted_does[:count]
        arrays.states[nodes] = self.rules.step(arrays.states[parents], does)
        if self.rules.is_serial:
            last = arrays.last[parents]
            for player in self.rules.players:
                last[does[:, player] >= 0] = player
            arrays.last[nodes] = last
        self._look(nodes, None)

    def _look(self, nodes: NDArray[np.int64], mover: NDArray[np.int64] | None) -> None:
        """Ask the rules about new nodes, which are numbered one after the other."""
        arrays, rules = self.arrays, self.rules
        states = arrays.states[nodes]
        look = rules.look(states)
        acting = find_acting(rules, look, mover, arrays.last[nodes])
        over = nodes[look.terminal]
        if len(over):
            goals = rules.goals(arrays.states[over])
            arrays.solved[over] = np.where(goals < 0, 50, goals) / 100.0
            arrays.flags[over] |= SOLVED
        stuck = nodes[~look.terminal & ~np.any(acting, axis=1)]
        if len(stuck):
            arrays.solved[stuck] = 0.5
            arrays.flags[stuck] |= SOLVED
        plain = rules.plain(look.rows)
        before = int(arrays.counts[ARMS])
        arrays.reserve_arms(before + len(look.rows))
        attach(
            int(nodes[0]),
            look.starts,
            look.rows,
            acting,
            plain,
            rules.nature,
            arrays.tree,
            arrays.arms,
            arrays.chance,
            arrays.counts,
        )
        if rules.has_experiments:
            self._draw(nodes, before)

    def _draw(self, nodes: NDArray[np.int64], first: int) -> None:
        """Note what may come of arms that name experiments."""
        arrays = self.arrays
        arms = np.arange(first, int(arrays.counts[ARMS]))
        drawn = arms[arrays.arm_does[arms] == -2]
        if not len(drawn):
            return
        owner = nodes[np.searchsorted(arrays.starts[nodes, -1], drawn, side='right')]
        outcomes = self.rules.outcomes(arrays.states[owner], arrays.arm_rows[drawn])
        arrays.add_outcomes(drawn, outcomes)

    def _value(self) -> None:
        """Judge the leaves, and back up what was found."""
        arrays = self.arrays
        count = int(arrays.counts[LEAVES])
        if not count:
            return
        leaves = self._leaves[:count]
        values = arrays.solved[leaves].copy()
        going = np.flatnonzero(arrays.flags[leaves] & SOLVED == 0)
        traces = np.zeros((count * self._has_late, self.rules.trace_words), np.uint64)
        if len(going) and self._has_late:
            values[going], traces[going] = self._trace(leaves[going])
        elif len(going):
            values[going] = self._judge_nodes(leaves[going])
        if len(going):
            self.judged += len(going) * (self._rollouts if self._judge is None else 1)
        back_up(
            count,
            self._path_nodes,
            self._path_arms,
            self._lengths,
            self._leaves,
            values,
            arrays.tree,
            arrays.arms,
            arrays.solved,
            arrays.arm_does,
            traces,
        )

    def _trace(self, nodes: NDArray[np.int64]) -> tuple[NDArray[np.float64], States]:
        """Play a random game from each node; return its values, and what was done in it."""
        self._batches += 1
        key = self._key << 64 | self._batches
        goals, traces = self.rules.traced_playouts(self.arrays.states[nodes], key, LONGEST)
        return np.where(goals < 0, 50, goals) / 100.0, traces

    def _judge_nodes(self, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        if self._judge is not None:
            return self._judge(self, nodes)
        self._batches += 1
        key = self._key << 64 | self._batches
        states = self.arrays.states[nodes]
        if self._rollouts > 1:
            states = np.repeat(states, self._rollouts, axis=0)
        goals = self.rules.playouts(states, key, LONGEST)
        values: NDArray[np.float64] = np.where(goals < 0, 50, goals) / 100.0
        if self._rollouts > 1:
            values = values.reshape(len(nodes), self._rollouts, -1).mean(axis=1)
        return values

    # ---- asking

    def arms_of(self, node: int, role: int) -> slice:
        """Return which arms a role has in a node."""
        starts = self.arrays.starts
        return slice(int(starts[node, role]), int(starts[node, role + 1]))

    def is_solved(self, node: int) -> bool:
        """Tell whether the value of a node is proven."""
        return bool(self.arrays.flags[node] & SOLVED)

    def root_moves(self, node: int, role: int) -> dict[str, NDArray[Any]]:
        """Return the moves of a role in a node: rows, visits, means, and proven values or NaN."""
        arrays = self.arrays
        part = self.arms_of(node, role)
        visits, sums = arrays.arms[0][part], arrays.arms[1][part]
        children = arrays.arms[4][part]
        proven = np.full(len(children), np.nan)
        known = (children >= 0) & (arrays.flags[np.maximum(children, 0)] & SOLVED != 0)
        proven[known] = arrays.solved[children[known], role]
        return {
            'rows': arrays.arm_rows[part].copy(),
            'visits': visits.copy(),
            'means': sums / np.maximum(visits, 1),
            'proven': proven,
        }
