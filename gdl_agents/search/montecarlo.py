"""Flat Monte-Carlo: as many random games after each move, and the best mean wins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.expansion import find_acting
from gdl_agents.search.forest import LONGEST
from gdl_agents.search.options import Value
from gdl_agents.search.player import SearchAgent
from gdl_agents.search.rules import Rows
from gdl_agents.search.sampling import draw_outcomes, draw_owned, sample_moves
from gdl_agents.search.task import Choices, Task

# Random games of a batch at most, of all lanes.
_BATCH = 16_384


class MonteCarloAgent(SearchAgent):
    """Plays `playouts` random games for a decision (or for `time` seconds), shared evenly.

    In a game that hides something each starts from a state that the player may be in, as likely
    as it is.
    """

    name = 'montecarlo'
    defaults: ClassVar[Mapping[str, Value]] = {'time': 1.0, 'playouts': 0}

    def judge(self, task: Task) -> Choices:
        """Play random games, and take the moves with the best mean goal."""
        started = task.clock()
        lane, row = task.legal()
        counts = np.bincount(lane, minlength=len(task.lanes))
        sums = np.zeros(len(row))
        games = 0
        wanted = int(self.options['playouts'])
        end = self.find_end(task, started)
        # Games after each move.
        share = max(1, wanted // max(1, int(counts.max()))) if wanted else 1 << 40
        chance = np.random.Generator(np.random.Philox(key=task.key))
        number = 0
        while games < share and (not games or task.clock() < end):
            size = min(share - games, max(1, _BATCH // len(row)), 4 + games)
            number += 1
            sums += self._play(task, lane, row, size, chance, number)
            games += size
        best = np.full(len(task.lanes), -np.inf)
        np.maximum.at(best, lane, sums)
        chosen = sums >= best[lane] - 1e-9
        return Choices(lane[chosen], row[chosen])

    def _play(
        self,
        task: Task,
        lane: NDArray[np.int64],
        row: Rows,
        size: int,
        chance: np.random.Generator,
        number: int,
    ) -> NDArray[np.float64]:
        """Return the sums of goals over so many games after each move."""
        rules, role = task.rules, task.role
        lane, row = np.repeat(lane, size), np.repeat(row, size)
        states = task.states[draw_owned(task, lane, chance)]
        look = rules.look(states)
        acting = find_acting(rules, look, np.full(len(states), role), None)
        legal = sample_moves(rules, look, acting, chance)
        legal[:, role] = row
        after = rules.step(states, draw_outcomes(rules, states, legal, chance))
        goals = rules.playouts(after, task.key << 64 | number, LONGEST)[:, role]
        sums: NDArray[np.float64] = np.where(goals < 0, 50, goals).reshape(-1, size).sum(axis=1)
        return sums
