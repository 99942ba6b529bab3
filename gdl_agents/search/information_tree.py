"""One tree for all states that look the same to a player: information-set tree search."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.expansion import find_acting
from gdl_agents.search.forest import LONGEST
from gdl_agents.search.kernels.infosets import arms_of, back_up, choose, enter, insert, rehash
from gdl_agents.search.rules import States
from gdl_agents.search.sampling import draw_outcomes, draw_owned
from gdl_agents.search.table import MatchTable
from gdl_agents.search.task import Choices, Task

# Descents of a batch, of all lanes; steps from the root at most; places of a new table.
_BATCH = 512
_DEEPEST = 128
_TABLE = 1 << 14


def judge_by_information(
    table: MatchTable, task: Task, exploration: float, wanted: int, end: float
) -> Choices:
    """Grow a tree for each lane, and choose what was tried most.

    `wanted` random games a lane, or, if that is 0, until a time.
    """
    tree = InformationTree(task, table.visible(task.role), exploration)
    done = 0
    while (done < wanted if wanted else True) and (not done or task.clock() < end):
        # Few at first: a batch does not learn from itself.
        size = min(max(1, done // 8), max(1, _BATCH // len(task.lanes)))
        if wanted:
            size = min(size, wanted - done)
        tree.grow(size)
        done += size
    lane, row = task.legal()
    visits, _ = tree.root_moves(lane, row)
    most = np.zeros(len(task.lanes))
    np.maximum.at(most, lane, visits)
    best = visits >= most[lane]
    return Choices(lane[best], row[best])


class InformationTree:
    """The trees of some lanes, grown by batches of descents that go down step by step together."""

    def __init__(self, task: Task, visible: NDArray[np.uint64] | None, exploration: float) -> None:
        self._task = task
        self._visible = visible
        self._exploration = exploration
        self._chance = np.random.Generator(np.random.Philox(key=task.key))
        self._random = np.array([task.key & (2**64 - 1)], np.uint64)
        self._roots = (np.arange(len(task.lanes), dtype=np.uint64) + np.uint64(1)) << np.uint64(8)
        self._arms = _empty_arms(_TABLE)
        self._known = np.zeros(_TABLE, np.uint64)
        self._counts = [0, 0]
        self._batches = 0

    def grow(self, size: int) -> None:
        """Go down so many times in every lane."""
        task, rules = self._task, self._task.rules
        lane = np.repeat(np.arange(len(task.lanes)), size)
        states: States = task.states[draw_owned(task, lane, self._chance)].copy()
        nodes = self._roots[lane]
        active = np.ones(len(lane), np.bool_)
        last = np.full(len(lane), task.role)
        mover: NDArray[np.int64] | None = last.copy()
        legal = np.empty((len(lane), len(rules.roles)), np.int32)
        paths = np.zeros((_DEEPEST, *legal.shape), np.uint64)
        length = 0
        while length < _DEEPEST:
            look = rules.look(states)
            active &= ~look.terminal
            if not active.any():
                break
            acting = find_acting(rules, look, mover, last)
            mover = None
            self._reserve(len(look.rows), len(lane))
            self._counts[0] += choose(
                nodes,
                active,
                look.starts,
                look.rows,
                acting,
                self._arms,
                rules.nature,
                self._exploration,
                self._random,
                legal,
                paths[length],
            )
            active &= (legal >= 0).any(axis=1)
            length += 1
            moving = np.flatnonzero(active)
            does = draw_outcomes(rules, states[moving], legal[moving], self._chance)
            after = rules.step(states[moving], does)
            seen = self._see(states[moving], does, after, len(lane), moving)
            states[moving] = after
            for player in rules.players:
                last[legal[:, player] >= 0] = player
            own = legal[:, task.role].astype(np.int64)
            self._counts[1] += enter(nodes, active, own, seen, self._known)
        self._batches += 1
        goals = rules.playouts(states, task.key << 64 | self._batches, LONGEST)
        values = np.where(goals < 0, 50, goals) / 100.0
        back_up(paths, length, values, self._arms)

    def root_moves(
        self, lane: NDArray[np.int64], row: NDArray[np.int32]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return visits and mean values of root moves."""
        visits, means = np.zeros(len(row)), np.zeros(len(row))
        arms_of(self._roots, self._task.role, row, lane, self._arms, visits, means)
        return visits, means

    def _see(
        self,
        states: States,
        does: NDArray[np.int32],
        after: States,
        count: int,
        moving: NDArray[np.intp],
    ) -> States:
        """Return what the player is shown of a step, as words."""
        rules = self._task.rules
        shown = after
        if rules.percept_words:
            shown = rules.percepts(states, does)
        # Without facts, states are numbers: those that are the same look the same.
        if self._visible is not None:
            shown = shown & self._visible
        seen = np.zeros((count, shown.shape[1]), np.uint64)
        seen[moving] = shown
        return seen

    def _reserve(self, more: int, nodes: int) -> None:
        """Keep the tables less than half full."""
        if 2 * (self._counts[0] + more) > len(self._arms[0]):
            size = 1 << (4 * (self._counts[0] + more)).bit_length()
            larger = _empty_arms(size)
            rehash(self._arms, larger)
            self._arms = larger
        if 2 * (self._counts[1] + nodes) > len(self._known):
            old = self._known[self._known != 0]
            self._known = np.zeros(1 << (4 * (self._counts[1] + nodes)).bit_length(), np.uint64)
            insert(self._known, old)


def _empty_arms(size: int) -> tuple[NDArray[Any], ...]:
    return (
        np.zeros(size, np.uint64),
        np.zeros(size, np.int64),
        np.zeros(size),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
    )
