"""Solve a sub-game while it grows: regret minimisation, then more histories, and so on.

Histories that are reached most often by the strategies so far are continued first (Schmid et al.
2021, Student of Games). What was learned stays when the game grows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.solving.exploiting.exploitability import (
    Strategy,
    find_plan,
    measure_exploitability,
    uniform_strategy,
)
from gdl_agents.solving.methods.strategy_kernels import PREDICTIVE, improve, read_average
from gdl_agents.solving.subgames.leaf_values import LeafValues
from gdl_agents.solving.subgames.roots import Roots
from gdl_agents.solving.subgames.subgame import Subgame
from gdl_agents.solving.tree.sequence_form import SequenceForm
from gdl_agents.solving.tree.sight import TableSight

# The share of the time in which a sub-game grows; iterations between two growths without a clock,
# and the share of its histories by which it grows at a time, at least so many.
_GROWING = 0.6
_BETWEEN = 16
_GROWTH, _LEAST_GROWTH = 0.5, 64
# Entries of arrays that are gone through before the clock is looked at.
_ENTRIES = 1_000_000
# How often players are taken to make any move, where histories are chosen to be continued.
_CURIOSITY = 0.5
# NashConv within the sub-game that is good enough [goals], and the iterations before it is
# measured.
_GOOD, _FIRST_LOOK = 0.02, 64
# What is hardly ever: the share of all iterations in which a player comes to a decision.
_RARE = 1e-3
# Iterations at most: more change nothing.
_MOST_ITERATIONS = 20_000

# What a role does at information sets, by their digests; moves in the order of their numbers.
Behaviour = dict[bytes, NDArray[np.float64]]


@dataclass(frozen=True)
class SearchLimits:
    """What a search may take."""

    # Histories, steps after the roots (0: any number), and random games for each end.
    nodes: int = 20_000
    depth: int = 0
    games: int = 4
    # Iterations of regret minimisation: then the clock does not matter. 0: as long as there is
    # time.
    iterations: int = 0
    # Goes by seconds.
    clock: Callable[[], float] = lambda: 0.0


@dataclass(frozen=True)
class SolvedSubgame:
    """The result: the tree, what is done in it, and what that is worth."""

    tree: Subgame
    form: SequenceForm
    strategy: Strategy
    iterations: int
    # Histories that were added in a second; 0 if that is not known.
    rate: float

    def behaviour(self, player: int) -> Behaviour:
        """Return what a player does at all its information sets."""
        own, start = self.tree.own[player], int(self.form.sequence_start[player])
        likely = self.strategy[start : int(self.form.sequence_start[player + 1])]
        return {
            own.digests[path]: likely[first : first + count]
            for path, first, count in zip(
                own.paths, own.first.tolist(), own.count.tolist(), strict=True
            )
        }

    def root_policy(self, player: int) -> tuple[list[int], NDArray[np.float64]]:
        """Return moves of a player by number, and how likely each is, at its first root decision.

        Nothing where it has none.
        """
        own, start = self.tree.own[player], int(self.form.sequence_start[player])
        for number in self.tree.decisions_of_roots(player):
            first = start + int(own.first[number])
            likely = self.strategy[first : first + int(own.count[number])]
            return own.legal_moves(number), likely
        return [], np.zeros(0)

    def promises(self, player: int) -> dict[bytes, float]:
        """Return what a player gets by these strategies, by what it knows."""
        plan = find_plan(self.form, self.strategy)
        return self.tree.find_promises(player, self.form, self.strategy, plan)


def search_subgame(
    sight: TableSight, roots: Roots, limits: SearchLimits, key: int, end: float
) -> SolvedSubgame:
    """Grow and solve a sub-game until the time is up; `key` decides all chance."""
    tree = Subgame(sight, roots, LeafValues(limits.games, key))
    started = limits.clock()
    first = len(tree)
    tree.grow(np.arange(tree.size))
    grown = limits.clock() - started
    learner = _Learner(tree.form())
    has_clock = not limits.iterations
    growing = started + _GROWING * (end - started)
    while tree.size and len(tree) < limits.nodes and (not has_clock or limits.clock() < growing):
        grew = limits.clock()
        if not _grow(tree, learner, limits):
            break
        spent = limits.clock() - grew
        grown += spent
        until = min(growing, limits.clock() + spent)
        learner.learn(_BETWEEN)
        while has_clock and limits.clock() < until:
            learner.learn_a_moment(_MOST_ITERATIONS)
    _finish(learner, limits, end)
    rate = (len(tree) - first) / grown if grown > 0 else 0.0
    return SolvedSubgame(tree, learner.form, learner.average(), learner.done, rate)


def _grow(tree: Subgame, learner: _Learner, limits: SearchLimits) -> bool:
    """Continue histories that are reached often; False if there are none."""
    mixed = (1 - _CURIOSITY) * learner.average() + _CURIOSITY * learner.uniform
    open_ones = tree.list_open(learner.form, find_plan(learner.form, mixed), limits.depth)
    if not len(open_ones):
        return False
    # As many as have about that number of histories after them.
    branches = max(1.0, len(tree) / max(1, len(tree) - tree.size))
    wanted = min(max(_LEAST_GROWTH, _GROWTH * len(tree)), limits.nodes - len(tree))
    tree.grow(open_ones[: max(1, int(wanted / branches))])
    learner.follow(tree.form())
    return True


def _finish(learner: _Learner, limits: SearchLimits, end: float) -> None:
    """Use what is left of the iterations, or of the time, as far as it helps."""
    if limits.iterations:
        learner.learn(limits.iterations - learner.done)
        return
    look = max(_FIRST_LOOK, 2 * learner.done)
    while learner.done < _MOST_ITERATIONS:
        learner.learn_a_moment(look - learner.done)
        if limits.clock() >= end:
            return
        if learner.done >= look:
            if measure_exploitability(learner.form, learner.average()).nash_conv < _GOOD:
                return
            look *= 2


class _Learner:
    """Minimises regret on a game that grows."""

    def __init__(self, form: SequenceForm) -> None:
        self.done = 0
        self._tables = np.zeros((4, 0))
        self.form = form._replace(sequence_start=np.zeros(form.players + 1, np.int64))
        self.follow(form)

    def follow(self, form: SequenceForm) -> None:
        """Go on with a larger game: new sequences of each player come after the old ones."""
        tables = np.zeros((4, form.sequences))
        self.uniform = uniform_strategy(form)
        tables[0] = self.uniform
        for player in range(form.players):
            old, end = self.form.sequence_start[player : player + 2]
            new = form.sequence_start[player]
            tables[:, new : new + end - old] = self._tables[:, old:end]
        self.form, self._tables = form, tables
        self._plan = find_plan(form, tables[0])
        self._gradient = np.zeros(form.sequences)

    def learn(self, count: int) -> None:
        """Do some iterations."""
        if count > 0:
            improve(
                self.form,
                PREDICTIVE,
                self.done + 1,
                count,
                self._tables,
                self._plan,
                self._gradient,
            )
            self.done += count

    def learn_a_moment(self, most: int) -> None:
        """Do so many iterations at most, and not more than a moment's worth."""
        entries = self.form.sequences + len(self.form.ends) * self.form.players
        self.learn(min(most, max(1, _ENTRIES // entries)))

    def average(self) -> Strategy:
        """Return the average strategy; where a player hardly ever came, what it would do now.

        Who prefers what it was promised does not come to what follows, but what it would do there
        must be known.
        """
        form, total = self.form, self._tables[3]
        average = np.ones(form.sequences)
        read_average(form, total, average)
        owner = np.repeat(np.arange(form.players), np.diff(form.set_start))
        rare = total[form.before] < _RARE * total[form.sequence_start[owner]]
        first, moves = form.first[rare], form.moves[rare]
        inside = np.arange(moves.sum()) - np.repeat(np.cumsum(moves) - moves, moves)
        sequences = np.repeat(first, moves) + inside
        average[sequences] = self._tables[0, sequences]
        return average
