"""Search level by level: all states that one more move leads to, or the best ones of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.puzzles.line import Line
from gdl_agents.search.puzzles.puzzle import Puzzle, Steps
from gdl_agents.search.puzzles.search_effort import SearchEffort
from gdl_agents.search.puzzles.state_set import StateSet
from gdl_env.engine.batch.contract import Rows, States

# States whose moves are played at once, fewer where a state has many moves.
_TOGETHER = 2_048
# How many times the states of a level are collected before the worst of them are left out.
_COLLECTED = 4
# The place of the state at the start.
_START = -1

# Values of states, the higher the better, by the states, how many moves each has, and how many
# moves of the state before do not end the game.
Ranking: TypeAlias = Callable[[States, NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]


class LevelSearch:
    """Searches from a state, and can be continued.

    Without a ranking, all states are kept, and none is met twice. With one, `width` states of a
    level are kept. `same` says what states are compared by: with bits left out, states that differ
    only in these are the same, and the one that is reached first counts. `find_lost` tells which
    states are left out.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        start: States,
        most_bytes: int,
        ranking: Ranking | None = None,
        width: int = 0,
        same: States | None = None,
        find_lost: Callable[[States], NDArray[np.bool_]] | None = None,
    ) -> None:
        self.best = Line(np.zeros(0, np.int32), -1)
        # The most promising line that does not end the game: of the state that ranks highest.
        self.promising = self.best
        self._highest = -np.inf
        # Whether there is no state left to continue from.
        self.is_over = False
        # Whether states were left out that may lead further.
        self.has_gaps = same is not None or find_lost is not None
        self._puzzle = puzzle
        self._most_bytes = most_bytes
        self._ranking = ranking
        self._width = width
        self._same = same
        self._find_lost = find_lost
        self._met = StateSet(len(start))
        self._met.add(self._key(start[None]))
        # Of every state met but the start: the state before it, and the move.
        self._parents: list[NDArray[np.int32]] = []
        self._rows: list[Rows] = []
        # The states of this level, and how many of them have been left behind.
        self._states = start[None]
        self._first = _START
        self._done = 0
        self._size = 1
        self._found: list[tuple[States, States, NDArray[np.int32], Rows, NDArray[np.float64]]] = []
        self._collected = 0

    @property
    def nbytes(self) -> int:
        """Return about how many bytes are taken."""
        each = 16 * int(self._states.shape[1]) + 24
        return self._met.nbytes + 8 * len(self._met) + each * (self._collected + len(self._states))

    @property
    def is_complete(self) -> bool:
        """Tell whether all states were met: no line is better than the best one."""
        return self.is_over and not self.has_gaps

    def run(self, effort: SearchEffort) -> None:
        """Continue, until the best goal there can be is reached or nothing is left to try."""
        while not self.is_over and not effort.is_over:
            part = self._states[self._done : self._done + self._size]
            steps = self._puzzle.list_steps(part)
            effort.spend(len(steps.rows))
            self._size = self._puzzle.together * len(part) // max(1, len(steps.rows))
            self._size = min(max(self._size, 1), _TOGETHER)
            self._take_ends(steps)
            if self.best.goal >= self._puzzle.most:
                self.is_over = True
                return
            self._collect(steps)
            self._done += len(part)
            if self._done >= len(self._states):
                self._begin_level()
            if not self.is_over and self.nbytes > self._most_bytes:
                self.is_over = self.has_gaps = True

    # ---- inside

    def _key(self, states: States) -> States:
        return states if self._same is None else states & self._same

    def _take_ends(self, steps: Steps) -> None:
        """Remember a line that ends better than all before."""
        goals = np.where(steps.terminal, steps.goals, -1)
        best = int(goals.argmax()) if len(goals) else 0
        if len(goals) and goals[best] > self.best.goal:
            parent = self._first + self._done + int(steps.parent[best])
            self.best = self._make_line(parent, steps.rows[best], int(goals[best]))

    def _collect(self, steps: Steps) -> None:
        """Collect the states that are new, for the next level."""
        going = np.flatnonzero(steps.choices > 0)
        if self._find_lost is not None:
            going = going[~self._find_lost(steps.states[going])]
        room = np.bincount(steps.parent[going], minlength=1)
        keys = self._key(steps.states[going])
        is_new = self._met.find_new(keys)
        going, keys = going[is_new], keys[is_new]
        if not len(going):
            return
        states = steps.states[going]
        parents = (self._first + self._done + steps.parent[going]).astype(np.int32)
        values = np.zeros(len(going))
        if self._ranking is not None:
            values = self._ranking(states, steps.choices[going], room[steps.parent[going]])
        self._found.append((keys, states, parents, steps.rows[going], values))
        self._collected += len(going)
        if self._width and self._collected > _COLLECTED * self._width + self._puzzle.together:
            self._thin_out()

    def _thin_out(self) -> None:
        """Keep the best of what was collected, each state once."""
        keys, states, parents, rows, values = (
            np.concatenate(parts) for parts in zip(*self._found, strict=True)
        )
        # Of equal states the one that was found first counts.
        chosen = np.flatnonzero(self._met.find_new(keys))
        if self._width and len(chosen) > self._width:
            self.has_gaps = True
            worst = len(chosen) - self._width
            chosen = np.sort(chosen[np.argpartition(values[chosen], worst)[worst:]])
        found = keys[chosen], states[chosen], parents[chosen], rows[chosen], values[chosen]
        self._found = [found]
        self._collected = len(chosen)

    def _begin_level(self) -> None:
        """Continue with the states that were collected."""
        if not self._found:
            self.is_over = True
            return
        self._thin_out()
        keys, self._states, parents, rows, values = self._found.pop()
        self._collected = self._done = 0
        self._first = len(self._met) - 1
        self._met.add(keys)
        self._parents.append(parents)
        self._rows.append(rows)
        highest = int(values.argmax())
        if self._ranking is not None and values[highest] > self._highest:
            self._highest = float(values[highest])
            self.promising = self._make_line(int(parents[highest]), rows[highest], -1)

    def _make_line(self, parent: int, row: np.int32, goal: int) -> Line:
        """Return the line to a state met, and one more move."""
        sizes = np.cumsum([0, *map(len, self._parents)])
        rows = [row]
        while parent >= 0:
            level = int(np.searchsorted(sizes, parent, side='right')) - 1
            place = parent - int(sizes[level])
            rows.append(self._rows[level][place])
            parent = int(self._parents[level][place])
        return Line(np.array(rows[::-1], np.int32), goal)
