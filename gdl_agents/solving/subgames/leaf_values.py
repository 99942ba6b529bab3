"""What histories are worth to all players: goals where games are over, else random games."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.game.random_games import play_games
from gdl_agents.solving.tree.frontier import NO_RESULT, Frontier, HistoryRows


class LeafValues:
    """Evaluates histories by the mean of a number of random games from each."""

    def __init__(self, games: int, key: int) -> None:
        self._games = max(1, games)
        self._key = key
        self._calls = 0

    def evaluate(
        self, frontier: Frontier, histories: HistoryRows
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the goals of the players (histories by players), and which games are over."""
        rules = frontier.rules
        is_over = rules.look(histories.states).terminal
        values = np.zeros((len(histories), len(rules.players)))
        if is_over.any():
            values[is_over] = frontier.goals(histories.select(is_over))
        going = np.flatnonzero(~is_over)
        if len(going):
            self._calls += 1
            rows = np.repeat(going, self._games)
            goals = play_games(
                rules,
                frontier.turns,
                histories.states[rows],
                histories.last[rows],
                self._key << 32 | self._calls,
            )[:, list(rules.players)]
            goals = np.where(goals < 0, NO_RESULT, goals)
            values[going] = goals.reshape(len(going), self._games, -1).mean(axis=1)
        return values, is_over
