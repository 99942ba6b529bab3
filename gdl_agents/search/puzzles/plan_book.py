"""The lines that were found in a match, by the states that they go through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gdl_agents.search.puzzles.line import Line
from gdl_agents.search.puzzles.puzzle import Puzzle
from gdl_env.engine.batch.contract import States


@dataclass
class PlannedMove:
    """A line from a state on, and what is known of it."""

    row: np.int32
    goal: int
    # Whether no line from here has a better goal.
    is_best: bool


class PlanBook:
    """Plans of states. Whoever leaves a line has none, until one is found for the new state."""

    def __init__(self, puzzle: Puzzle) -> None:
        self._puzzle = puzzle
        self._plans: dict[bytes, PlannedMove] = {}
        # The states of all plans, in a form that stays valid.
        self._exported: list[tuple[Any, list[PlannedMove]]] = []

    def find(self, state: States) -> PlannedMove | None:
        """Return what to do in a state, if that is known."""
        return self._plans.get(state.tobytes())

    def add(self, start: States, line: Line, *, is_best: bool) -> None:
        """Add a line for all states on it, but for those with a better one."""
        states = [start[None]]
        for row in line.rows[:-1]:
            after = self._puzzle.follow(states[-1], np.zeros(1, np.int64), row[None])
            states.append(after.states)
        plans = [PlannedMove(row, line.goal, is_best) for row in line.rows]
        every = np.concatenate(states)
        self._exported.append((self._puzzle.rules.export_states(every), plans))
        self._enter(every, plans)

    def restore(self) -> None:
        """Find states again after the rules have forgotten the rows they had."""
        self._plans.clear()
        for held, plans in self._exported:
            self._enter(self._puzzle.rules.import_states(held), plans)

    def _enter(self, states: States, plans: list[PlannedMove]) -> None:
        for state, plan in zip(states, plans, strict=True):
            known = self.find(state)
            # A line may pass a state twice: the last time counts, which is nearer to its end.
            if known is None or plan.goal >= known.goal:
                self._plans[state.tobytes()] = plan
