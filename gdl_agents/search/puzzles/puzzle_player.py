"""Plays puzzles: thinks of a whole line at its first decision, and follows it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gdl_agents.search.game.match_table import MatchTable
from gdl_agents.search.players.task import BestMoves, SearchTask
from gdl_agents.search.puzzles.plan_book import PlanBook, PlannedMove
from gdl_agents.search.puzzles.puzzle import Puzzle
from gdl_agents.search.puzzles.puzzle_search import PuzzleSearch
from gdl_agents.search.puzzles.search_effort import SearchEffort
from gdl_env.engine.batch.contract import Rows, States


class PuzzlePlayer:
    """Searches where no best line is known yet; lanes in the same state share what is found."""

    def __init__(self, table: MatchTable, most_bytes: int, playouts: int = 0) -> None:
        """Begin a match; a search is as long as so many random games, 0: as there is time."""
        self._table = table
        self._generation = table.generation
        self._puzzle = Puzzle(table.rules)
        self._book = PlanBook(self._puzzle)
        self._most_bytes = most_bytes
        self._playouts = playouts
        # The last search, by its state.
        self._searches: dict[bytes, PuzzleSearch] = {}
        # States that were made by all searches.
        self.made = 0

    def find_plan(self, state: States) -> PlannedMove | None:
        """Return what is known of a state: of those on lines that were found."""
        return self._book.find(state)

    @property
    def most(self) -> int:
        """Return the highest goal of the rules; whether it can be reached is another matter."""
        return self._puzzle.most

    def evaluate_moves(self, task: SearchTask, end: float) -> BestMoves:
        """Return the next move of the best line known in every lane."""
        self._check_generation()
        found: dict[bytes, Rows] = {}
        every = [state.tobytes() for state in task.states]
        distinct = list(dict.fromkeys(every))
        for number, key in enumerate(distinct):
            now = task.clock()
            share = now + (end - now) / (len(distinct) - number)
            state = task.states[every.index(key)]
            found[key] = self._choose(state, task, SearchEffort(task.clock, share))
        lanes = [np.full(len(found[key]), lane) for lane, key in enumerate(every)]
        return BestMoves(np.concatenate(lanes), np.concatenate([found[key] for key in every]))

    def ponder(self, task: SearchTask, is_wanted: Callable[[], bool]) -> None:
        """Look for better lines for as long as that is wanted."""
        self._check_generation()
        for state in task.states[:1]:
            self._improve(state, task, SearchEffort(task.clock, float('inf'), 0, is_wanted))

    # ---- inside

    def _check_generation(self) -> None:
        if self._generation != self._table.generation:
            self._generation = self._table.generation
            self._searches.clear()
            self._book.restore()

    def _choose(self, state: States, task: SearchTask, effort: SearchEffort) -> Rows:
        """Return the moves to choose from in a state."""
        promising = self._improve(state, task, effort)
        plan = self._book.find(state)
        if plan is not None and (plan.goal > 0 or not len(promising)):
            return np.array([plan.row], np.int32)
        if len(promising):
            return promising[:1]
        look = self._table.rules.look(state[None])
        return look.moves(0, task.role)

    def _improve(self, state: States, task: SearchTask, effort: SearchEffort) -> Rows:
        """Look for a better line from a state; return one to a state that looks good."""
        known = self._book.find(state)
        nothing = np.zeros(0, np.int32)
        if known is not None and known.is_best:
            return nothing
        search = self._searches.get(state.tobytes())
        if search is None:
            self._searches.clear()
            search = PuzzleSearch(self._puzzle, state, self._most_bytes, task.key)
            self._searches[state.tobytes()] = search
        before = search.made
        search.run(effort, self._playouts)
        self.made += search.made - before
        is_better = known is None or search.best.goal > known.goal
        if len(search.best.rows) and (is_better or search.is_best):
            self._book.add(state, search.best, is_best=search.is_best)
        return search.promising.rows
