"""Searches many positions together, and says what can be learned from each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_agents.learning.alphazero.config import AlphaZeroConfig
from gdl_agents.learning.alphazero.memory import SearchedPosition
from gdl_agents.search.game.match_table import MatchTable
from gdl_agents.search.tree.forest import Forest, NodeJudge
from gdl_agents.search.tree.sequential_halving import RootResults, search_by_halving
from gdl_agents.search.tree.tree_options import TreeOptions
from gdl_env.engine.batch.contract import States


class RootSearch:
    """A tree for each position, all grown together; the next search starts from empty trees."""

    def __init__(
        self, table: MatchTable, judge: NodeJudge, lanes: int, config: AlphaZeroConfig
    ) -> None:
        """Make room for the trees of so many positions."""
        self._table = table
        self.judge = judge
        self._config = config
        most = max(config.playouts, config.quick_playouts) + 2
        options = TreeOptions(
            2 * most * lanes + 4096,
            value_scale=config.value_scale,
            value_visits=config.value_visits,
            win_arms=config.win_moves,
        )
        self._forest = Forest(table.rules, 0, options, judge, table.turns)

    def search(
        self,
        states: States,
        players: NDArray[np.intp],
        quick: NDArray[np.bool_],
        key: int,
        chance: np.random.Generator,
    ) -> RootResults:
        """Grow a tree from each state, in which a player decides; the quick ones grow less."""
        rules, config, forest = self._table.rules, self._config, self._forest
        forest.clear(key)
        roots = np.empty(len(states), np.int64)
        # Who moves is part of a node only where one role moves at a time.
        groups = [players == player for player in np.unique(players)] if rules.is_serial else []
        for group in groups or [np.ones(len(states), np.bool_)]:
            mover = rules.players[int(players[group][0])]
            roots[group] = forest.plant(states[group], mover)
        budget = np.where(quick, config.quick_playouts, config.playouts).astype(np.int64)
        return search_by_halving(forest, roots, budget, config.considered, chance, config.noise)

    def choose(self, found: RootResults, root: int, player: int) -> int:
        """Return the action of a player at a root."""
        arm = int(found.found.chosen[root, self._table.rules.players[player]])
        return int(self._table.actions_of(self._forest.arrays.arms['row'][arm : arm + 1])[0])

    def describe(
        self, found: RootResults, root: int, player: int, seen: NDArray[np.uint8], actions: int
    ) -> SearchedPosition:
        """Return a root as a position to learn from: what the player saw, and so many actions."""
        rules = self._table.rules
        role = rules.players[player]
        first = int(found.starts[root, role])
        rows = self._forest.arrays.arms['row'][first : int(found.starts[root, role + 1])]
        policy = np.zeros(actions, np.float32)
        policy[self._table.actions_of(rows)] = found.policy(root, role)
        return SearchedPosition(
            seen.copy(),
            player,
            policy,
            found.found.values[root, list(rules.players)].astype(np.float32),
            bool(found.is_proved[root]),
        )
