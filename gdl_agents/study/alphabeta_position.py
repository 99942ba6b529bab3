"""A position that alpha-beta searches deeper and deeper."""

from __future__ import annotations

from gdl_agents.search.alphabeta.breadth import BreadthSearch
from gdl_agents.search.alphabeta.search import DEEPEST, AlphaBetaSearch
from gdl_agents.search.players.alphabeta import AlphaBetaAgent
from gdl_agents.search.players.task import SearchTask
from gdl_agents.study.ratings import PositionRating, RatedMove

# Positions of a first search; of one that was cut off, the next may meet twice as many.
_FIRST = 20_000
# What a goal of 100 is worth.
_FULL = 100.0
# Nothing is better or worse, so an estimate of the rest changes nothing.
_CERTAIN = (0.0, _FULL)


class AlphaBetaPosition:
    """Looks one move further ahead at a time, and keeps the best moves of the last depth."""

    def __init__(self, agent: AlphaBetaAgent, task: SearchTask) -> None:
        self._agent = agent
        self._task = task
        self._search = agent.find_search(task.role)
        self._limit = _FIRST
        self._depth = 0
        self._is_over = False
        self._rating = PositionRating(str(task.rules.roles[task.role]), 0.5, False, ())

    def grow(self, seconds: float) -> bool:
        """Search for some time; tell whether there is more to find."""
        clock = self._task.clock
        end = clock() + seconds
        while not self._is_over and clock() < end:
            if self._search is not None:
                self._look_deeper(self._search)
            else:
                self._look_broader(end)
        return not self._is_over

    def rate(self) -> PositionRating:
        """Return what is known so far."""
        return self._rating

    def _look_deeper(self, search: AlphaBetaSearch) -> None:
        task = self._task
        found = search.run(task.states[0], task.role, self._depth + 1, self._limit, task.key)
        if found.is_cut:
            # What was met is remembered, so that the next one gets further.
            self._limit *= 2
        if found.depth > self._depth or not self._rating.moves:
            best = dict.fromkeys(found.best.tolist(), found.value)
            is_proven = found.is_exact or found.value in _CERTAIN
            self._note(best, found.depth, is_proven=is_proven)
        self._is_over = self._rating.is_proven or self._depth >= DEEPEST

    def _look_broader(self, end: float) -> None:
        """Search level by level, where there is no compiled search."""
        task = self._task
        evaluation = self._agent.evaluation
        search = BreadthSearch(
            task.rules, task.role, task.turns, task.partners, evaluation, end, task.clock
        )
        found = search.run(task.states, self._depth + 1)
        if found.depth <= self._depth:
            # There is no room for more, or no time, or nothing that is not final.
            self._is_over = task.clock() < end
            return
        values = dict(zip(found.row.tolist(), found.value.tolist(), strict=True))
        self._note(values, found.depth, is_proven=max(values.values()) in _CERTAIN)
        self._is_over = self._rating.is_proven

    def _note(self, values: dict[int, float], depth: int, *, is_proven: bool) -> None:
        rules = self._task.rules
        moves = sorted(
            (
                RatedMove(str(rules.legal_move(row)[1]), value / _FULL, is_proven=is_proven)
                for row, value in values.items()
            ),
            key=lambda one: -one.value,
        )
        self._depth = depth
        role = str(rules.roles[self._task.role])
        self._rating = PositionRating(role, moves[0].value, is_proven, tuple(moves), depth=depth)
