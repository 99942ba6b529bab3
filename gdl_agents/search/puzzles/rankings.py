"""What states promise: rankings that are made from the rules, and from random games."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.puzzles.closeness_kernels import measure_closeness, measure_novelty
from gdl_agents.search.puzzles.goal_formula import GoalFormula, make_goal_formula
from gdl_agents.search.puzzles.ladders import LadderMaker, Ladders, make_no_ladders
from gdl_agents.search.puzzles.level_search import Ranking
from gdl_agents.search.puzzles.puzzle import Puzzle
from gdl_agents.search.puzzles.random_lines import RandomLines
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import States

# Steps that ladders are made of, and states that tell whether a ranking tells states apart.
_STEPS, _STATES = 20_000, 512
# Facts of these steps, all in all.
_CELLS = 20_000_000
# How much chance counts beside what is measured, and groups of closeness for novelty.
_NOISE, _GROUPS = 1e-3, 32


class Rankings:
    """The rankings that a puzzle offers, by name; every call makes new ones."""

    def __init__(self, puzzle: Puzzle, lines: RandomLines) -> None:
        self._puzzle = puzzle
        # The condition of the highest goal, if it can be had.
        self.formula: GoalFormula | None = None
        self._plain: Ladders | None = None
        self._ladders: Ladders | None = None
        states = lines.after[:: max(1, len(lines.after) // _STATES)]
        rules = puzzle.rules
        if isinstance(rules, CircuitBatch) and len(states):
            self.formula = make_goal_formula(rules, puzzle.role, puzzle.most)
        if self.formula is not None and isinstance(rules, CircuitBatch):
            self._plain = make_no_ladders(len(self.formula.leaves))
            most = min(_STEPS, _CELLS // len(rules.vocabulary.facts))
            some = slice(None, None, 1 + len(lines.before) // most)
            maker = LadderMaker(
                rules.vocabulary.facts,
                rules.unpack(lines.before[some]),
                rules.unpack(lines.after[some]),
            )
            leaves = self.formula.leaves.tolist()
            self._ladders = maker.make(leaves, self.formula.is_wanted.tolist())
        self.names = self._list_names(states)

    def make(self, name: str, chance: np.random.Generator) -> Ranking:
        """Return a ranking; equal states are told apart by chance."""
        measure = self._find_measure(name)

        def rank(
            states: States, choices: NDArray[np.int64], room: NDArray[np.int64]
        ) -> NDArray[np.float64]:
            counts = room if name == 'room' else choices
            return measure(states, counts) + _NOISE * chance.random(len(states))

        return rank

    def _list_names(self, states: States) -> tuple[str, ...]:
        """Return the rankings that tell states apart, and each other."""
        names = []
        choices = np.ones(len(states), np.int64)
        if self.formula is not None:
            near, far = (self._close(states, at) for at in (self._ladders, self._plain))
            if np.ptp(near) > 0:
                names.append('distance')
            if np.ptp(far) > 0 and not np.array_equal(near, far):
                names.append('goal')
            names.append('novelty')
        if len(states) and np.ptp(self._score(states, choices)) > 0:
            names.append('score')
        return (*names, 'choices', 'fewest', 'room', 'chance')

    def _find_measure(
        self, name: str
    ) -> Callable[[States, NDArray[np.int64]], NDArray[np.float64]]:
        if name == 'distance':
            return lambda states, choices: self._close(states, self._ladders)
        if name == 'goal':
            return lambda states, choices: self._close(states, self._plain)
        if name == 'score':
            return self._score
        if name in ('choices', 'room'):
            return lambda states, choices: np.log(choices)
        if name == 'fewest':
            return lambda states, choices: -np.log(choices)
        if name == 'novelty':
            return self._make_novelty()
        return lambda states, choices: np.zeros(len(states))

    def _close(self, states: States, ladders: Ladders | None) -> NDArray[np.float64]:
        values = np.zeros(len(states))
        if self.formula is not None and ladders is not None:
            measure_closeness(np.ascontiguousarray(states), self.formula, ladders, values)
        return values

    def _score(self, states: States, choices: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the goal that the rules give now, before the game is over."""
        values: NDArray[np.float64] = self._puzzle.rules.goals(states)[:, self._puzzle.role] / 100
        return values

    def _make_novelty(self) -> Callable[[States, NDArray[np.int64]], NDArray[np.float64]]:
        facts = len(self._puzzle.rules.facts or ())
        seen = np.zeros((_GROUPS, facts), np.float32)

        def measure(states: States, choices: NDArray[np.int64]) -> NDArray[np.float64]:
            near = self._close(states, self._ladders)
            groups = np.clip((near * _GROUPS).astype(np.int64), 0, _GROUPS - 1)
            values = np.zeros(len(states))
            measure_novelty(np.ascontiguousarray(states), groups, seen, values)
            return values + 0.1 * near

        return measure
