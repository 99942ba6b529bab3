"""Nested rollout policy adaptation (Rosin, 2011): games that learn from the best of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.puzzles.level_search import Ranking
from gdl_agents.search.puzzles.line import Line
from gdl_agents.search.puzzles.policy_kernels import adapt_policy, draw_moves
from gdl_agents.search.puzzles.puzzle import Puzzle
from gdl_agents.search.puzzles.random_lines import LONGEST
from gdl_agents.search.puzzles.search_effort import SearchEffort
from gdl_env.engine.batch.contract import Look, Rows, States

# Games side by side, each with a policy of its own; games of each, after which all continue from
# the policy of the best line; and so many rounds without a better one until all begin again.
_LANES, _GAMES, _ROUNDS = 64, 40, 12
# How much likelier a move of the best line becomes.
_RATE = 1.0


@dataclass
class _Best:
    """The best line of a lane, and what could be chosen at each of its steps."""

    value: float = -np.inf
    chosen: Rows | None = None
    bounds: NDArray[np.int64] | None = None
    rows: Rows | None = None


class PolicySearch:
    """Searches from a state, and can be continued; a ranking tells ends of equal goals apart."""

    is_over = False
    is_complete = False

    def __init__(
        self, puzzle: Puzzle, start: States, chance: np.random.Generator, ranking: Ranking | None
    ) -> None:
        self.best = Line(np.zeros(0, np.int32), -1)
        self._puzzle = puzzle
        self._start = start[None]
        self._look = puzzle.rules.look(self._start)
        self._chance = chance
        self._ranking = ranking
        self._policy = np.zeros((_LANES, puzzle.rules.known_moves), np.float32)
        self._shared = self._policy[0].copy()
        self._own = [_Best() for _ in range(_LANES)]
        self._whole = _Best()
        self._played = self._idle = 0

    def run(self, effort: SearchEffort) -> None:
        """Play games, until the best goal there can be is reached or the effort is over."""
        while not self.is_over and not effort.is_over:
            self._play(effort)
            self._played += 1
            if self._played % _GAMES == 0:
                self._share()
            if self.best.goal >= self._puzzle.most:
                self.is_over = True

    # ---- inside

    def _play(self, effort: SearchEffort) -> None:
        """Play a game in every lane, and adapt each policy to the best line of its lane."""
        lanes = np.arange(_LANES)
        states = np.repeat(self._start, _LANES, axis=0)
        starts = np.repeat(self._look.starts, _LANES, axis=0)
        look = Look(np.repeat(self._look.terminal, _LANES), starts, self._look.rows)
        goals = np.full(_LANES, -1, np.int16)
        ends = states.copy()
        record: list[tuple[NDArray[np.int64], NDArray[np.int64], Rows, Rows]] = []
        place_of = np.full((LONGEST, _LANES), -1, np.int64)
        while len(record) < LONGEST:
            first, counts = look.starts[:, self._puzzle.role], look.counts()[:, self._puzzle.role]
            going = np.flatnonzero((counts > 0) & ~look.terminal)
            if not len(going) or (record and effort.is_over):
                break
            lanes, states, first, counts = lanes[going], states[going], first[going], counts[going]
            self._widen(int(look.rows.max(initial=0)))
            places = np.zeros(len(lanes), np.int64)
            marks = self._chance.random(len(lanes))
            draw_moves(lanes, first, counts, look.rows, self._policy, marks, places)
            chosen = look.rows[places]
            place_of[len(record), lanes] = np.arange(len(lanes))
            record.append((first, counts, look.rows, chosen))
            found = self._puzzle.follow(states, np.arange(len(lanes)), chosen)
            effort.spend(len(lanes))
            states, look = found.states, found.look
            ends[lanes] = states
            goals[lanes] = found.goals[:, self._puzzle.role]
        self._learn(goals, ends, record, place_of)

    def _learn(
        self,
        goals: NDArray[np.int16],
        ends: States,
        record: list[tuple[NDArray[np.int64], NDArray[np.int64], Rows, Rows]],
        place_of: NDArray[np.int64],
    ) -> None:
        values = goals.astype(np.float64)
        if self._ranking is not None:
            none = np.ones(_LANES, np.int64)
            values += self._ranking(ends, none, none)
        for lane in range(_LANES):
            own = self._own[lane]
            if values[lane] > own.value:
                steps = [
                    (first[k], counts[k], rows, chosen[k])
                    for k, (first, counts, rows, chosen) in zip(
                        place_of[: len(record), lane], record, strict=True
                    )
                    if k >= 0
                ]
                own.value = float(values[lane])
                own.chosen = np.array([step[3] for step in steps], np.int32)
                own.bounds = np.cumsum([0, *(step[1] for step in steps)])
                listed = [rows[low : low + count] for low, count, rows, _ in steps]
                own.rows = np.concatenate([np.zeros(0, np.int32), *listed])
                if goals[lane] > self.best.goal:
                    self.best = Line(own.chosen, int(goals[lane]))
            _adapt(self._policy[lane], own)

    def _share(self) -> None:
        """Let all lanes continue from the policy that the best line of all has adapted."""
        best = max(self._own, key=lambda own: own.value)
        self._idle += 1
        if best.value > self._whole.value:
            self._whole, self._idle = best, 0
        if self._idle >= _ROUNDS:
            self._shared[:] = 0
            self._whole, self._idle = _Best(), 0
        _adapt(self._shared, self._whole)
        self._policy[:] = self._shared
        self._own = [_Best() for _ in range(_LANES)]

    def _widen(self, row: int) -> None:
        """Make room for moves that were not known before."""
        more = row + 1 - len(self._shared)
        if more > 0:
            self._shared = np.pad(self._shared, (0, 2 * more))
            self._policy = np.pad(self._policy, ((0, 0), (0, 2 * more)))


def _adapt(policy: NDArray[np.float32], best: _Best) -> None:
    if best.chosen is not None and best.bounds is not None and best.rows is not None:
        adapt_policy(policy, policy.copy(), best.chosen, best.bounds, best.rows, _RATE)
