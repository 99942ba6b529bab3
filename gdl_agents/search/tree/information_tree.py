"""One tree for all states that look the same to a player: information-set tree search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.belief.sampling import draw_owned
from gdl_agents.search.game.match_table import MatchTable
from gdl_agents.search.game.random_games import play_games
from gdl_agents.search.game.random_moves import draw_outcomes
from gdl_agents.search.game.turns import follow_last, let_move
from gdl_agents.search.players.task import BestMoves, SearchTask
from gdl_agents.search.tree.information_kernels import (
    ChosenMoves,
    Descents,
    KnownArms,
    back_up,
    choose,
    enter,
    insert,
    read_arms,
    rehash,
)
from gdl_env.engine.batch.contract import States

# Descents of a batch, of all lanes; steps from the root at most; places of a new table.
_BATCH = 512
_DEEPEST = 128
_TABLE = 1 << 14


def search_information_sets(
    table: MatchTable, task: SearchTask, exploration: float, wanted: int, end: float
) -> BestMoves:
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
    return BestMoves(lane[best], row[best])


class InformationTree:
    """The trees of some lanes, grown by batches of descents that go down step by step together."""

    def __init__(
        self, task: SearchTask, visible: NDArray[np.uint64] | None, exploration: float
    ) -> None:
        self._task = task
        self._visible = visible
        self._exploration = exploration
        self._chance = np.random.Generator(np.random.Philox(key=task.key))
        self._random = np.array([task.key & (2**64 - 1)], np.uint64)
        self._roots = (np.arange(len(task.lanes), dtype=np.uint64) + np.uint64(1)) << np.uint64(8)
        self._arms = _empty_arms(_TABLE)
        self._known = np.zeros(_TABLE, np.uint64)
        # Entries of both tables.
        self._arm_count = 0
        self._node_count = 0
        self._batches = 0

    def grow(self, size: int) -> None:
        """Go down `size` times in every lane."""
        task, rules = self._task, self._task.rules
        lane = np.repeat(np.arange(len(task.lanes)), size)
        states: States = task.states[draw_owned(task, lane, self._chance)].copy()
        nodes = self._roots[lane]
        active = np.ones(len(lane), np.bool_)
        last = np.full(len(lane), task.role)
        legal = np.empty((len(lane), len(rules.roles)), np.int32)
        paths = np.zeros((_DEEPEST, *legal.shape), np.uint64)
        length = 0
        while length < _DEEPEST:
            look = rules.look(states)
            active &= ~look.terminal
            if not active.any():
                break
            if length:
                acting = task.turns.find_acting(rules, look, last, self._chance)
            else:
                acting = let_move(rules, look, task.role)
            self._reserve(len(look.rows), len(lane))
            descents = Descents(nodes, active, look.starts, look.rows, acting)
            self._arm_count += choose(
                descents,
                self._arms,
                rules.nature,
                self._exploration,
                self._random,
                ChosenMoves(legal, paths[length]),
            )
            active &= (legal >= 0).any(axis=1)
            length += 1
            moving = np.flatnonzero(active)
            does = draw_outcomes(rules, states[moving], legal[moving], self._chance)
            after = rules.step(states[moving], does)
            seen = self._see(states[moving], does, after, len(lane), moving)
            states[moving] = after
            last = follow_last(rules, last, legal)
            own = legal[:, task.role].astype(np.int64)
            self._node_count += enter(nodes, active, own, seen, self._known)
        self._batches += 1
        key = task.key << 64 | self._batches
        goals = play_games(rules, task.turns, states, last, key)
        values = np.where(goals < 0, 50, goals) / 100.0
        back_up(paths, length, values, self._arms)

    def root_moves(
        self, lane: NDArray[np.int64], row: NDArray[np.int32]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return visits and mean values of root moves."""
        visits, means = np.zeros(len(row)), np.zeros(len(row))
        read_arms(self._roots[lane], self._task.role, row, self._arms, visits, means)
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
        if 2 * (self._arm_count + more) > len(self._arms.keys):
            size = 1 << (4 * (self._arm_count + more)).bit_length()
            larger = _empty_arms(size)
            rehash(self._arms, larger)
            self._arms = larger
        if 2 * (self._node_count + nodes) > len(self._known):
            old = self._known[self._known != 0]
            self._known = np.zeros(1 << (4 * (self._node_count + nodes)).bit_length(), np.uint64)
            insert(self._known, old)


def _empty_arms(size: int) -> KnownArms:
    return KnownArms(
        keys=np.zeros(size, np.uint64),
        visits=np.zeros(size, np.int64),
        sums=np.zeros(size),
        offers=np.zeros(size, np.int64),
        pending=np.zeros(size, np.int64),
    )
