"""Games of a network against itself, in the lanes of an environment.

The environment says who decides, plays forced moves and chance, and ends games. Search starts from
the states of its lanes, on the same rules: a tree for each lane, all of them grown together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.learning.alphazero.config import AlphaZeroConfig
from gdl_agents.learning.alphazero.games_in_progress import (
    EndedGame,
    GameInProgress,
    Openings,
    to_values,
)
from gdl_agents.learning.alphazero.memory import SearchedPosition
from gdl_agents.learning.alphazero.root_search import RootSearch
from gdl_agents.players.draws import derive_seed
from gdl_agents.search.game.match_table import MatchTable
from gdl_agents.search.tree.forest import NodeJudge
from gdl_env.environment.decision_batch import DecisionBatch
from gdl_env.environment.environment import Environment


@dataclass(frozen=True)
class RewardedGame(EndedGame):
    """A game that was played here, and what each player was paid for it."""

    reward: NDArray[np.float32]


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
        self._seed = seed
        self._config = config = config or AlphaZeroConfig()
        self.games = [GameInProgress() for _ in range(environment.options.lanes)]
        self._openings = Openings(config)
        self._search = RootSearch(table, judge, len(self.games), config)

    def tick(self) -> list[RewardedGame]:
        """Search and play all decisions of a tick; return the games that ended by the rules."""
        environment = self.environment
        key = derive_seed(self._seed, f'tick {environment.tick}')
        chance = np.random.Generator(np.random.Philox(key=key))
        turn = environment.decisions()
        result = environment.play(self._decide(turn, key, chance))
        ended = []
        for lane in np.flatnonzero(result.ended).tolist():
            game = self.games[lane]
            self._openings.count(game)
            self.games[lane] = self._openings.begin_game(chance)
            # A game that was broken off counts for no player.
            if result.terminated[lane]:
                value = to_values(result.goals[:, lane])
                ended.append(RewardedGame(game.positions, value, result.reward[:, lane]))
        return ended

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
        self.environment.game.update_rows()
        states = self.environment.game.arrays.states[lanes[searched]]
        search = self._search
        found = search.search(states, movers, quick[searched], key, chance)
        number = np.cumsum(~is_random) - 1
        for i in np.flatnonzero(~is_random[place]).tolist():
            root, player = int(number[place[i]]), int(turn.player[i])
            chosen[i] = search.choose(found, root, player)
            if not quick[place[i]]:
                seen = turn.observation.data[i]
                position = search.describe(found, root, player, seen, turn.legal.size)
                self.games[int(turn.lane[i])].positions.append(position)
        return chosen

    # ---- continuing later

    def to_tree(self) -> dict[str, Any]:
        """Return where the games are: lanes, and positions that wait for the end."""
        waiting = [(lane, p) for lane, game in enumerate(self.games) for p in game.positions]
        return {
            'environment': self.environment.snapshot(),
            'lengths': [self._openings.ended, self._openings.moves],
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
        self._openings.ended, self._openings.moves = tree['lengths']
        both = zip(tree['moves'], tree['random_moves'], strict=True)
        self.games = [GameInProgress(moves=moves, random_moves=random) for moves, random in both]
        for lane, player, seen, policy, value, is_proved in zip(*tree['waiting'], strict=True):
            position = SearchedPosition(seen, player, policy, value, bool(is_proved))
            self.games[lane].positions.append(position)
