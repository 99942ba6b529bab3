"""Games of a network against itself, in the lanes of an environment.

The environment says who decides, plays forced moves and chance, and ends games. Search starts from
the states of its lanes, on the same rules: a tree for each lane, all of them grown together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.learning.alphazero.config import AlphaZeroConfig
from gdl_agents.learning.alphazero.memory import SearchedPosition
from gdl_agents.players.draws import derive_seed
from gdl_agents.search.game.match_table import MatchTable
from gdl_agents.search.tree.forest import Forest, NodeJudge, TreeOptions
from gdl_agents.search.tree.sequential_halving import RootResults, search_by_halving
from gdl_env.environment.decision_batch import DecisionBatch
from gdl_env.environment.environment import Environment


@dataclass
class _Game:
    """A game in progress: its positions wait for the end."""

    positions: list[SearchedPosition] = field(default_factory=list)
    moves: int = 0
    # Moves at the start that are made at random.
    random_moves: int = 0


@dataclass(frozen=True)
class EndedGame:
    """A game that was played to its end."""

    positions: list[SearchedPosition]
    # What each player got: as values from 0 to 1, and as rewards.
    value: NDArray[np.float32]
    reward: NDArray[np.float32]

    def mix_values(self, position: SearchedPosition, share: float) -> NDArray[np.float32]:
        """Return the values to learn for a position: what is proved, or a mix with the outcome."""
        if position.is_proved:
            return position.value
        return share * position.value + (1 - share) * self.value


class SearchedSelfPlay:
    """Plays all seats of all lanes, tick by tick: a tick is one decision in every lane."""

    def __init__(
        self,
        environment: Environment,
        table: MatchTable,
        judge: NodeJudge,
        seed: int,
        config: AlphaZeroConfig | None = None,
    ) -> None:
        """Begin new games; `table` must be one of the environment's own rules."""
        self.environment = environment
        self._table = table
        self._judge = judge
        self._seed = seed
        self._config = config = config or AlphaZeroConfig()
        self.games = [_Game() for _ in range(environment.options.lanes)]
        # Games that have ended, and the moves that they had.
        self._ended = self._moves = 0
        lanes = len(self.games)
        most = max(config.playouts, config.quick_playouts) + 2
        options = TreeOptions(
            2 * most * lanes + 4096,
            value_scale=config.value_scale,
            value_visits=config.value_visits,
            win_arms=config.win_moves,
        )
        self._forest = Forest(table.rules, 0, options, judge, table.turns)

    def tick(self) -> list[EndedGame]:
        """Search and play all decisions of a tick; return the games that ended by the rules."""
        environment = self.environment
        key = derive_seed(self._seed, f'tick {environment.tick}')
        chance = np.random.Generator(np.random.Philox(key=key))
        turn = environment.decisions()
        result = environment.play(self._decide(turn, key, chance))
        ended = []
        for lane in np.flatnonzero(result.ended).tolist():
            game = self.games[lane]
            self._ended += 1
            self._moves += game.moves
            self.games[lane] = self._begin_game(chance)
            # A game that was broken off counts for no player.
            if result.terminated[lane]:
                goals = result.goals[:, lane]
                value = (np.where(goals < 0, 50, goals) / 100).astype(np.float32)
                ended.append(EndedGame(game.positions, value, result.reward[:, lane]))
        return ended

    def _begin_game(self, chance: np.random.Generator) -> _Game:
        config = self._config
        share, part = chance.random(2)
        if share >= config.opening_share:
            return _Game()
        most = config.opening_part * self._moves / max(1, self._ended)
        return _Game(random_moves=int(part * (most + 1)))

    # ---- a tick

    def _decide(
        self, turn: DecisionBatch, key: int, chance: np.random.Generator
    ) -> NDArray[np.int32]:
        """Return an action for each decision; those that were searched well are kept."""
        chosen = np.zeros(len(turn), np.int32)
        if not len(turn):
            return chosen
        lanes, first, place = np.unique(turn.lane, return_index=True, return_inverse=True)
        is_random = np.array(
            [self.games[lane].moves < self.games[lane].random_moves for lane in lanes.tolist()]
        )
        for lane in lanes.tolist():
            self.games[lane].moves += 1
        legal = turn.legal.unpack()
        blind = np.flatnonzero(is_random[place])
        if len(blind):
            draws = np.where(legal[blind], chance.random((len(blind), legal.shape[1])), -1.0)
            chosen[blind] = draws.argmax(axis=1)
        searched = np.flatnonzero(~is_random)
        if not len(searched):
            return chosen
        quick = chance.random(len(lanes)) < self._config.quick_share
        movers = turn.player[first[searched]]
        found = self._search(lanes[searched], movers, quick[searched], key, chance)
        number = np.cumsum(~is_random) - 1
        for i in np.flatnonzero(~is_random[place]).tolist():
            root = int(number[place[i]])
            role = self._table.rules.players[int(turn.player[i])]
            arm = int(found.found.chosen[root, role])
            arms = self._forest.arrays.arms
            chosen[i] = self._table.actions_of(arms['row'][arm : arm + 1])[0]
            if not quick[place[i]]:
                position = self._keep(turn, i, found, root)
                self.games[int(turn.lane[i])].positions.append(position)
        return chosen

    def _search(
        self,
        lanes: NDArray[np.intp],
        players: NDArray[np.intp],
        quick: NDArray[np.bool_],
        key: int,
        chance: np.random.Generator,
    ) -> RootResults:
        """Grow a tree for each lane, from where a player of it decides."""
        rules, config, forest = self._table.rules, self._config, self._forest
        forest.clear(key)
        self.environment.game.update_rows()
        states = self.environment.game.arrays.states[lanes]
        roots = np.empty(len(lanes), np.int64)
        # Who moves is part of a node only where one role moves at a time.
        groups = [players == player for player in np.unique(players)] if rules.is_serial else []
        for group in groups or [np.ones(len(lanes), np.bool_)]:
            mover = rules.players[int(players[group][0])]
            roots[group] = forest.plant(states[group], mover)
        budget = np.where(quick, config.quick_playouts, config.playouts).astype(np.int64)
        return search_by_halving(forest, roots, budget, config.considered, chance, config.noise)

    def _keep(
        self, turn: DecisionBatch, decision: int, found: RootResults, root: int
    ) -> SearchedPosition:
        """Return a decision as a position to learn from."""
        rules, forest = self._table.rules, self._forest
        player = int(turn.player[decision])
        role = rules.players[player]
        first = int(found.starts[root, role])
        rows = forest.arrays.arms['row'][first : int(found.starts[root, role + 1])]
        policy = np.zeros(turn.legal.size, np.float32)
        policy[self._table.actions_of(rows)] = found.policy(root, role)
        return SearchedPosition(
            turn.observation.data[decision].copy(),
            player,
            policy,
            found.found.values[root, list(rules.players)].astype(np.float32),
            bool(found.is_proved[root]),
        )

    # ---- continuing later

    def to_tree(self) -> dict[str, Any]:
        """Return where the games are: lanes, and positions that wait for the end."""
        waiting = [(lane, p) for lane, game in enumerate(self.games) for p in game.positions]
        return {
            'environment': self.environment.snapshot(),
            'lengths': [self._ended, self._moves],
            'moves': [game.moves for game in self.games],
            'random_moves': [game.random_moves for game in self.games],
            'waiting': [
                [lane for lane, _ in waiting],
                [position.player for _, position in waiting],
                np.array([position.seen for _, position in waiting]),
                np.array([position.policy for _, position in waiting]),
                np.array([position.value for _, position in waiting]),
                [position.is_proved for _, position in waiting],
            ],
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned, of the same game and options."""
        self.environment.restore(tree['environment'])
        self._ended, self._moves = tree['lengths']
        both = zip(tree['moves'], tree['random_moves'], strict=True)
        self.games = [_Game(moves=moves, random_moves=random) for moves, random in both]
        for lane, player, seen, policy, value, is_proved in zip(*tree['waiting'], strict=True):
            position = SearchedPosition(seen, player, policy, value, bool(is_proved))
            self.games[lane].positions.append(position)
