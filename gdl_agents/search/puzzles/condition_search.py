"""Depth-first search that meets the conditions of the goal one by one, the hardest one first.

For puzzles in which something is filled in: once a condition is met it stays so, and where no move
is left for one, the state is lost. Other puzzles may have lines that are not found like this.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.puzzles.condition_kernels import choose_moves, find_lost
from gdl_agents.search.puzzles.conditions import GoalConditions
from gdl_agents.search.puzzles.goal_formula import GoalFormula
from gdl_agents.search.puzzles.ladders import make_no_ladders
from gdl_agents.search.puzzles.line import Line
from gdl_agents.search.puzzles.puzzle import Puzzle
from gdl_agents.search.puzzles.search_effort import SearchEffort
from gdl_env.engine.batch.contract import Rows, States

# Tells which states are lost.
LostFinder: TypeAlias = Callable[[States], NDArray[np.bool_]]

# States that are continued at a time: the last ones that were found.
_TOGETHER = 64
_START = -1


class ConditionSearch:
    """Searches from a state, and can be continued."""

    # It leaves out lines that meet conditions in another order, or break them in between.
    is_complete = False

    def __init__(
        self,
        puzzle: Puzzle,
        start: States,
        most_bytes: int,
        formula: GoalFormula,
        conditions: GoalConditions,
    ) -> None:
        self.best = Line(np.zeros(0, np.int32), -1)
        self.is_over = False
        self._puzzle = puzzle
        self._most_bytes = most_bytes
        self._formula = formula
        self._ladders = make_no_ladders(len(formula.leaves))
        self._conditions = conditions
        # States that wait, with their numbers; the last ones come first.
        self._states = start[None]
        self._numbers = np.array([_START])
        # Of every state but the start: the number of the one before it, and the move.
        self._parents: list[NDArray[np.int64]] = []
        self._rows: list[Rows] = []
        self._known = 0

    def run(self, effort: SearchEffort) -> None:
        """Continue, until the best goal there can be is reached or nothing is left to try."""
        while not self.is_over and not effort.is_over:
            states, numbers = self._states[-_TOGETHER:], self._numbers[-_TOGETHER:]
            self._states = self._states[:-_TOGETHER]
            self._numbers = self._numbers[:-_TOGETHER]
            parent, rows = self._choose(states)
            if len(rows):
                effort.spend(len(rows))
                self._advance(states, numbers, parent, rows)
            room = self._known * 12 + self._states.nbytes
            is_done = self.best.goal >= self._puzzle.most or not len(self._states)
            if is_done or room > self._most_bytes:
                self.is_over = True

    # ---- inside

    def _choose(self, states: States) -> tuple[NDArray[np.int64], Rows]:
        """Return the moves that are tried: the place of the state, and the move."""
        look = self._puzzle.rules.look(states)
        starts = look.starts[:, self._puzzle.role]
        counts = look.counts()[:, self._puzzle.role]
        is_chosen = np.zeros(len(look.rows), np.bool_)
        tables = self._formula, self._ladders, self._conditions
        states = np.ascontiguousarray(states)
        choose_moves(states, starts.copy(), counts, look.rows, *tables, is_chosen)
        places = np.flatnonzero(is_chosen)
        parent = np.searchsorted(starts, places, side='right') - 1
        return parent, look.rows[places]

    def _advance(
        self,
        states: States,
        numbers: NDArray[np.int64],
        parent: NDArray[np.int64],
        rows: Rows,
    ) -> None:
        found = self._puzzle.follow(states, parent, rows)
        goals = found.goals[:, self._puzzle.role]
        best = int(goals.argmax())
        before = numbers[parent]
        if goals[best] > self.best.goal:
            self.best = self._make_line(int(before[best]), rows[best], int(goals[best]))
        going = np.flatnonzero(~found.look.terminal)
        self._states = np.concatenate([self._states, found.states[going]])
        own = np.arange(self._known, self._known + len(going))
        self._numbers = np.concatenate([self._numbers, own])
        self._parents.append(before[going])
        self._rows.append(rows[going])
        self._known += len(going)

    def _make_line(self, number: int, row: np.int32, goal: int) -> Line:
        """Return the line to a state, and one more move."""
        rows = [row]
        parents = np.concatenate([np.zeros(0, np.int64), *self._parents])
        moves = np.concatenate([np.zeros(0, np.int32), *self._rows])
        while number >= 0:
            rows.append(moves[number])
            number = int(parents[number])
        return Line(np.array(rows[::-1], np.int32), goal)


def make_lost_finder(formula: GoalFormula, conditions: GoalConditions) -> LostFinder:
    """Return what tells in which states a condition is broken that no move can mend."""
    ladders = make_no_ladders(len(formula.leaves))

    def find(states: States) -> NDArray[np.bool_]:
        is_lost = np.zeros(len(states), np.bool_)
        find_lost(np.ascontiguousarray(states), formula, ladders, conditions, is_lost)
        return is_lost

    return find
