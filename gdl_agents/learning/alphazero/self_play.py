"""Games of a network against itself, in the lanes of an environment.

The environment says who decides, plays forced moves and chance, and ends games. Search starts from
the states of its lanes, on the same rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.learning.alphazero.memory import SearchedPosition
from gdl_agents.players.draws import derive_seed
from gdl_agents.search.game.match_table import MatchTable
from gdl_agents.search.players.mcts import choose_rows
from gdl_agents.search.tree.forest import Forest, NodeJudge, TreeOptions
from gdl_env.environment.decision_batch import DecisionBatch
from gdl_env.environment.environment import Environment

# Judgements for a move, of them at a time; the share and the shape of noise at the root.
PLAYOUTS = 48
_TOGETHER = 2
_NOISE, _SHAPE = 0.25, 0.6
# Moves at the start of a game that are drawn by how often they were tried; later the best is made.
_DRAWN = 12
_EXPLORATION = 1.5


@dataclass
class _Game:
    """A game in progress: its positions wait for the end."""

    positions: list[SearchedPosition] = field(default_factory=list)
    moves: int = 0


@dataclass(frozen=True)
class EndedGame:
    """A game that was played to its end."""

    positions: list[SearchedPosition]
    # What each player got: as values from 0 to 1, and as rewards.
    value: NDArray[np.float32]
    reward: NDArray[np.float32]


class SearchedSelfPlay:
    """Plays all seats of all lanes, tick by tick: a tick is one decision in every lane."""

    def __init__(
        self, environment: Environment, table: MatchTable, judge: NodeJudge, seed: int
    ) -> None:
        """Begin new games; `table` must be one of the environment's own rules."""
        self.environment = environment
        self._table = table
        self._judge = judge
        self._seed = seed
        self.games = [_Game() for _ in range(environment.options.lanes)]

    def tick(self) -> list[EndedGame]:
        """Search and play all decisions of a tick; return the games that ended by the rules."""
        environment = self.environment
        key = derive_seed(self._seed, f'tick {environment.tick}')
        turn = environment.decisions()
        result = environment.play(self._decide(turn, key))
        ended = []
        for lane in np.flatnonzero(result.ended).tolist():
            game, self.games[lane] = self.games[lane], _Game()
            # A game that was broken off counts for no player.
            if result.terminated[lane]:
                goals = result.goals[:, lane]
                value = (np.where(goals < 0, 50, goals) / 100).astype(np.float32)
                ended.append(EndedGame(game.positions, value, result.reward[:, lane]))
        return ended

    def _decide(self, turn: DecisionBatch, key: int) -> NDArray[np.int32]:
        """Return an action for each decision; the decisions are kept as positions."""
        chosen = np.zeros(len(turn), np.int32)
        if not len(turn):
            return chosen
        chance = np.random.Generator(np.random.Philox(key=key))
        lanes, first, place = np.unique(turn.lane, return_index=True, return_inverse=True)
        forest, roots = self._search(lanes, turn.player[first], key, chance)
        for lane in lanes.tolist():
            self.games[lane].moves += 1
        decisions = zip(turn.player.tolist(), turn.lane.tolist(), strict=True)
        for number, (player, lane) in enumerate(decisions):
            role = self._table.rules.players[player]
            actions, shares = self._weigh(forest, int(roots[place[number]]), role)
            policy = np.zeros(turn.legal.size, np.float32)
            policy[actions] = shares
            game = self.games[lane]
            chosen[number] = actions[_choose(shares, chance, is_drawn=game.moves <= _DRAWN)]
            game.positions.append(
                SearchedPosition(turn.observation.data[number].copy(), player, policy)
            )
        return chosen

    def _search(
        self,
        lanes: NDArray[np.intp],
        players: NDArray[np.intp],
        key: int,
        chance: np.random.Generator,
    ) -> tuple[Forest, NDArray[np.int64]]:
        """Grow a tree for each lane, from where a player of it decides."""
        rules = self._table.rules
        options = TreeOptions(PLAYOUTS * 4 * len(lanes) + 4096, _EXPLORATION)
        forest = Forest(rules, key, options, self._judge, self._table.turns)
        self.environment.game.update_rows()
        states = self.environment.game.arrays.states[lanes]
        roots = np.empty(len(lanes), np.int64)
        # Who moves is part of a node only where one role moves at a time.
        groups = [players == player for player in np.unique(players)] if rules.is_serial else []
        for group in groups or [np.ones(len(lanes), np.bool_)]:
            mover = rules.players[int(players[group][0])]
            roots[group] = forest.plant(states[group], mover)
        priors = forest.arrays.arms['prior']
        for root in roots.tolist():
            for role in rules.players:
                part = forest.arms_of(root, role)
                size = part.stop - part.start
                if size > 1:
                    noise = chance.dirichlet(np.full(size, _SHAPE))
                    priors[part] = (1 - _NOISE) * priors[part] + _NOISE * noise
        for _ in range(PLAYOUTS // _TOGETHER):
            going = np.array([root for root in roots.tolist() if not forest.is_solved(root)])
            if not len(going):
                break
            forest.grow(np.repeat(going, _TOGETHER))
        return forest, roots

    def _weigh(
        self, forest: Forest, root: int, role: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return actions and how good search finds them, adding up to 1."""
        moves = forest.root_moves(root, role)
        actions = self._table.actions_of(moves.rows)
        if forest.is_solved(root) or moves.visits.sum() == 0:
            best = np.isin(moves.rows, choose_rows([moves]))
            return actions, (best / best.sum()).astype(np.float32)
        return actions, (moves.visits / moves.visits.sum()).astype(np.float32)

    # ---- continuing later

    def to_tree(self) -> dict[str, Any]:
        """Return where the games are: lanes, and positions that wait for the end."""
        waiting = [(lane, p) for lane, game in enumerate(self.games) for p in game.positions]
        return {
            'environment': self.environment.snapshot(),
            'moves': [game.moves for game in self.games],
            'waiting': [
                [lane for lane, _ in waiting],
                [position.player for _, position in waiting],
                np.array([position.seen for _, position in waiting]),
                np.array([position.policy for _, position in waiting]),
            ],
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned, of the same game and options."""
        self.environment.restore(tree['environment'])
        self.games = [_Game(moves=moves) for moves in tree['moves']]
        for lane, player, seen, policy in zip(*tree['waiting'], strict=True):
            self.games[lane].positions.append(SearchedPosition(seen, player, policy))


def _choose(shares: NDArray[np.float32], chance: np.random.Generator, *, is_drawn: bool) -> int:
    """Return the index of a share: drawn by size, or the largest."""
    if not is_drawn:
        return int(shares.argmax())
    sums = np.cumsum(shares)
    place = int(np.searchsorted(sums, chance.random() * sums[-1], side='right'))
    return min(place, len(shares) - 1)
