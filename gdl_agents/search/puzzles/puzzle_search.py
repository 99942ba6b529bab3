"""Looks for the best line of a puzzle in several ways by turns, each time with more effort."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from gdl_agents.search.puzzles.condition_search import (
    ConditionSearch,
    LostFinder,
    make_lost_finder,
)
from gdl_agents.search.puzzles.conditions import find_conditions
from gdl_agents.search.puzzles.level_search import LevelSearch
from gdl_agents.search.puzzles.line import Line
from gdl_agents.search.puzzles.policy_search import PolicySearch
from gdl_agents.search.puzzles.puzzle import Puzzle
from gdl_agents.search.puzzles.random_lines import RandomLines, play_random_lines
from gdl_agents.search.puzzles.rankings import Rankings
from gdl_agents.search.puzzles.search_effort import SearchEffort
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import States

# Random games that are played first: rules that do not compile are a thousand times as slow.
_GAMES, _FEW_GAMES = 64, 2
# States that each way makes in its first turn; searches that keep so many states of a level that
# they should make as many may make more, for lines may be longer than random games.
_FIRST, _LONGER = 20_000, 4
# The most states of a level.
_WIDEST = 1 << 22


class _Search(Protocol):
    """What all ways have in common."""

    best: Line
    is_over: bool

    @property
    def is_complete(self) -> bool: ...

    def run(self, effort: SearchEffort) -> None: ...


class PuzzleSearch:
    """Searches from a state, and can be continued; what it has found only becomes better."""

    def __init__(self, puzzle: Puzzle, start: States, most_bytes: int, key: int) -> None:
        """Begin at a state, in which the game is not over; `key` decides all chance."""
        self.best = Line(np.zeros(0, np.int32), -1)
        # A line to a state that looks good, where none to a good end of the game is known.
        self.promising = self.best
        # Whether all states were met.
        self.is_complete = False
        # States that were made so far.
        self.made = 0
        self._puzzle = puzzle
        self._start = start
        # Of each of the searches that hold states: up to four at a time.
        self._most_bytes = most_bytes // 4
        self._chance = np.random.Generator(np.random.Philox(key=key & (2**128 - 1)))
        self._whole: _Search = LevelSearch(puzzle, start, self._most_bytes)
        # Tells which states are lost, where that can be told by the conditions of the goal.
        self._find_lost: LostFinder | None = None
        self._random_length = 1.0
        self._is_prepared = False
        self._turn = self._round = 0

    @property
    def is_best(self) -> bool:
        """Tell whether no line can be better than the best one."""
        return self.is_complete or self.best.goal >= self._puzzle.most

    def run(self, effort: SearchEffort, playouts: int = 0) -> None:
        """Continue, until there can be nothing better or the effort is over.

        With `playouts`, it ends after as many states as so many random games have.
        """
        if not self._is_prepared:
            self._prepare(effort)
            self.made = effort.made
        if playouts:
            effort = effort.take(int(playouts * self._random_length) + 1)
        while not self.is_best and not effort.is_over:
            part = effort.take(_FIRST << self._round)
            way = self._turn - len(self._lasting)
            if way < 0:
                self._run(self._lasting[self._turn], part)
            elif self._is_worth(way):
                part = effort.take(_LONGER * _FIRST << self._round)
                self._reached[way] = self._run_ranked(*self._ways[way], part)
            effort.spend(part.made)
            self.made += part.made
            self._turn += 1
            if self._turn >= len(self._lasting) + len(self._ways):
                self._turn = 0
                self._round += 1

    # ---- inside

    def _prepare(self, effort: SearchEffort) -> None:
        """Play random games, and learn from them what states can be ranked by."""
        puzzle, chance = self._puzzle, self._chance
        games = _GAMES if isinstance(puzzle.rules, CircuitBatch) else _FEW_GAMES
        lines = play_random_lines(puzzle, self._start, games, chance, effort)
        self._random_length = lines.length
        # States that are made for each state that is kept of a level.
        self._width_cost = max(1.0, lines.choices)
        self.best = lines.best
        self._rankings = Rankings(puzzle, lines)
        clock = lines.find_clock()
        self._timeless = ~clock if clock.any() else None
        names = self._rankings.names
        judge = names[0] if names[0] in ('distance', 'score') else ''
        ends = self._rankings.make(judge, chance) if judge else None
        # Those that are continued, turn by turn; the others begin again each time, with more room.
        self._lasting: list[_Search] = [self._whole]
        if self._timeless is not None:
            # Far fewer states, and the quickest line to each, but no proof.
            timeless = LevelSearch(puzzle, self._start, self._most_bytes, same=self._timeless)
            self._lasting.append(timeless)
        self._add_conditions(lines)
        self._lasting.append(PolicySearch(puzzle, self._start, chance, ends))
        # Each ranking, first with time left out of account.
        ways = (*(('safe',) if self._find_lost is not None else ()), *names)
        self._ways = [(name, timeless) for name in ways for timeless in self._list_clocks()]
        self._reached = [self.best.goal] * len(self._ways)
        self._is_prepared = True

    def _add_conditions(self, lines: RandomLines) -> None:
        """Also meet the conditions of the goal one by one, where there are some."""
        formula = self._rankings.formula
        if formula is None:
            return
        steps = self._puzzle.list_steps(self._start[None])
        first = self._start[None][steps.parent], steps.states, steps.rows
        conditions = find_conditions(formula, lines, first)
        if conditions is None:
            return
        if len(conditions.helped):
            room = self._puzzle, self._start, self._most_bytes
            self._lasting.append(ConditionSearch(*room, formula, conditions))
        find_lost = make_lost_finder(formula, conditions)
        if conditions.is_brittle.any() and not find_lost(self._start[None])[0]:
            self._find_lost = find_lost

    def _list_clocks(self) -> tuple[bool, ...]:
        return (True, False) if self._timeless is not None else (False,)

    def _run(self, search: _Search, effort: SearchEffort) -> None:
        search.run(effort)
        if search.best.goal > self.best.goal:
            self.best = search.best
        self.is_complete |= search.is_complete

    def _is_worth(self, way: int) -> bool:
        """Tell whether to go a way in this round: every other one, if others led further."""
        return self._round % 2 == 0 or self._reached[way] >= max(self._reached)

    def _run_ranked(self, name: str, timeless: bool, effort: SearchEffort) -> int:
        """Search level by level, by a ranking; return the best goal found."""
        search = LevelSearch(
            self._puzzle,
            self._start,
            self._most_bytes,
            self._rankings.make('room' if name == 'safe' else name, self._chance),
            min(max(int(_FIRST / self._width_cost), 1) << self._round, _WIDEST),
            self._timeless if timeless else None,
            self._find_lost if name == 'safe' else None,
        )
        self._run(search, effort)
        if not search.is_over:
            # Lines are longer than was thought: fewer states of each level lead further.
            self._width_cost *= 2
        if name in ('distance', 'goal', 'score') and len(search.promising.rows):
            self.promising = search.promising
        return search.best.goal
