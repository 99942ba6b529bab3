"""Flat Monte-Carlo: as many random games after each move, and the best mean wins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.belief.sampling import draw_owned
from gdl_agents.search.game.random_games import play_games
from gdl_agents.search.game.random_moves import draw_outcomes, sample_moves
from gdl_agents.search.game.turns import let_move
from gdl_agents.search.players.options import Value
from gdl_agents.search.players.player import SearchAgent
from gdl_agents.search.players.task import BestMoves, SearchTask
from gdl_env.engine.batch.contract import Rows

# Random games of a batch at most, of all lanes.
_BATCH = 16_384


class MonteCarloAgent(SearchAgent):
    """Compares its moves by random games after each.

    It plays `playouts` games for a decision (or for `time` seconds), shared evenly.
    In a game that hides something each starts from a state that the player may be in, as likely
    as it is.
    """

    name = 'montecarlo'
    defaults: ClassVar[Mapping[str, Value]] = {'time': 1.0, 'playouts': 0}

    def evaluate_moves(self, task: SearchTask) -> BestMoves:
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
        return BestMoves(lane[chosen], row[chosen])

    def _play(
        self,
        task: SearchTask,
        lane: NDArray[np.int64],
        row: Rows,
        size: int,
        chance: np.random.Generator,
        number: int,
    ) -> NDArray[np.float64]:
        """Return the sums of goals over `size` games after each move."""
        rules, role = task.rules, task.role
        lane, row = np.repeat(lane, size), np.repeat(row, size)
        states = task.states[draw_owned(task, lane, chance)]
        look = rules.look(states)
        legal = sample_moves(rules, look, let_move(rules, look, role), chance)
        legal[:, role] = row
        after = rules.step(states, draw_outcomes(rules, states, legal, chance))
        last = np.full(len(after), role)
        goals = play_games(rules, task.turns, after, last, task.key << 64 | number)[:, role]
        sums: NDArray[np.float64] = np.where(goals < 0, 50, goals).reshape(-1, size).sum(axis=1)
        return sums
