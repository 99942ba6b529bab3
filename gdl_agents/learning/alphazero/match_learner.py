"""AlphaZero as a player that learns while it plays, wherever an agent can: on topics, too.

It takes questions and feedback of all roles, in any order, as the learner of values does. Each
decision is searched from the state that the question shows; once an episode has ended for all
roles, its positions are learned from. It searches decisions of others as well, which it then
learns from without having made them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.errors import AgentError
from gdl_agents.learning.alphazero.games_in_progress import (
    EndedGame,
    GameInProgress,
    Openings,
    to_values,
)
from gdl_agents.learning.alphazero.model import AlphaZeroModel
from gdl_agents.learning.alphazero.network_evaluator import NetworkEvaluator
from gdl_agents.learning.alphazero.policy_value_learner import PolicyValueLearner
from gdl_agents.learning.alphazero.root_search import RootSearch
from gdl_agents.learning.dqn.model import About
from gdl_agents.learning.errors import LearningError
from gdl_agents.learning.game_properties.game_traits import find_traits
from gdl_agents.learning.networks import NetworkSpec, Shape, open_network
from gdl_agents.learning.training.algorithm_options import check_applied
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.device import open_device
from gdl_agents.learning.training.goal_scale import check_goal_scale
from gdl_agents.players.draws import question_key
from gdl_agents.players.picking import pick_random
from gdl_agents.search.game.match_table import open_table
from gdl_env.environment.protocol import NO_ACTION, Answer, Feedback, MatchInfo, Question

# Lanes of a match, and episodes of a lane, by their numbers.
_Place = tuple[str, int, int]


class AlphaZeroLearner:
    """A network, its search, and games that have not ended yet."""

    # Feedback of several roles may come in any order.
    is_zero_sum = False
    # Search explores by itself.
    epsilon = 0.0

    def __init__(self, info: MatchInfo, config: TrainingConfig, seed: int) -> None:
        """Open the rules, and make a network with new weights.

        Raises ConfigError for options that cannot be obeyed, AgentError or LearningError if the
        game cannot be searched or learned.
        """
        check_applied(config)
        check_goal_scale(config.reward)
        table = open_table(info)
        if table.mapping is None:
            raise LearningError(f'{info.name} has no vector form, and cannot be learned')
        self._table = table
        self._options = options = config.alphazero
        self.seed = seed
        self._players = {role: player for player, role in enumerate(info.roles)}
        shape = Shape.of(table.game, table.mapping)
        symmetries = None
        if options.symmetries:
            symmetries = find_traits(table.game, config.reward, shared=False).symmetries
        spec = open_network(config.network, shape)
        device = open_device(config.device)
        players = len(info.roles)
        self._learner = PolicyValueLearner(spec, shape, players, options, seed, device, symmetries)
        self._judge = NetworkEvaluator(self._learner.inference, table)
        self._search: RootSearch | None = None
        self._lanes = 0
        self._games: dict[_Place, GameInProgress] = {}
        self._goals: dict[_Place, dict[int, int]] = {}
        self._openings = Openings(options)
        self.decisions = 0
        # Positions that were there when weights changed last.
        self._learned = 0
        # How much of the training is done, from 0 to 1: whoever trains says so.
        self.progress = 0.0

    @property
    def spec(self) -> NetworkSpec:
        """Return what the network is made of."""
        return self._learner.spec

    @property
    def version(self) -> int:
        """Return a number that grows whenever the weights change."""
        return self._learned

    @property
    def updates(self) -> int:
        """Return the steps of the optimiser so far."""
        return self._learner.updates

    @property
    def loss(self) -> float:
        """Return the loss of the last step of the optimiser."""
        return self._learner.losses[-1] if self._learner.losses else float('nan')

    # ---- playing

    def observe(self, question: Question, agent: str = 'learner') -> Answer:
        """Decide where the role has to, and remember it."""
        return Answer(question.tick, question.role, agent, self._decide(question))

    def watch(self, question: Question, action: NDArray[np.int32]) -> None:
        """Learn from decisions that others made: what they should have done is searched."""
        self._decide(question)

    def _decide(self, question: Question) -> NDArray[np.int32]:
        """Search all decisions of a role; remember those that were searched well."""
        if question.observation is None or question.legal is None:
            raise AgentError(f'role {question.role}: without vectors there is nothing to learn')
        key = question_key(self.seed, question.role, question.tick)
        chance = np.random.Generator(np.random.Philox(key=key))
        lanes = np.flatnonzero(question.to_move)
        self.decisions += len(lanes)
        games = [self._game(question, int(lane), chance) for lane in lanes]
        is_random = np.array([game.moves < game.random_moves for game in games], np.bool_)
        quick = chance.random(len(lanes)) < self._options.quick_share
        for game in games:
            game.moves += 1
        action = np.full(question.lanes, NO_ACTION, np.int32)
        if is_random.any():
            blind = lanes[is_random]
            action[blind] = pick_random(question, key)[blind]
        searched = np.flatnonzero(~is_random)
        if not len(searched):
            return action
        # Of a match, whose name is before that of the role.
        role = question.role.rpartition('/')[2]
        player = self._players[role]
        self._table.trim()
        states = self._table.read(self._table.role(role), question, lanes[searched])
        search = self._open_search(question.lanes)
        movers = np.full(len(searched), player, np.intp)
        found = search.search(states, movers, quick[searched], key, chance)
        for root, place in enumerate(searched.tolist()):
            lane = int(lanes[place])
            action[lane] = search.choose(found, root, player)
            if not quick[place]:
                seen = question.observation.data[lane]
                games[place].positions.append(
                    search.describe(found, root, player, seen, question.legal.size)
                )
        return action

    def _game(self, question: Question, lane: int, chance: np.random.Generator) -> GameInProgress:
        """Return the game that is played in a lane."""
        match, episode = question.role.rpartition('/')[0], int(question.episode[lane])
        place = match, lane, episode
        if place not in self._games:
            # What was lost of the episode before the last will not come any more.
            self._forget((match, lane, episode - 2))
            self._games[place] = self._openings.begin_game(chance)
        return self._games[place]

    def _open_search(self, lanes: int) -> RootSearch:
        """Return the search, with room for all lanes of the largest match."""
        if self._search is None or lanes > self._lanes:
            self._lanes = lanes
            self._search = RootSearch(self._table, self._judge, lanes, self._options)
        return self._search

    # ---- learning

    def learn(self, feedback: Feedback) -> None:
        """Take in the result of a tick for a role, and learn as much as is due."""
        match, _, role = feedback.role.rpartition('/')
        for lane in np.flatnonzero(feedback.is_over).tolist():
            place = match, lane, int(feedback.episode[lane])
            if not feedback.terminated[lane]:
                # A game that was broken off counts for no player.
                self._forget(place)
                continue
            goals = self._goals.setdefault(place, {})
            # More than 100 is none.
            goal = int(feedback.goal[lane])
            goals[self._players[role]] = goal if goal <= 100 else -1
            if len(goals) == len(self._players):
                self._end(place, goals)
        before = self._learner.updates
        self._learner.learn(self.progress)
        if self._learner.updates > before:
            del self._learner.losses[:-1]
            self._learned = self._learner.memory.count

    def _end(self, place: _Place, goals: dict[int, int]) -> None:
        game = self._games.get(place)
        if game is not None:
            values = to_values(np.array([goals[p] for p in range(len(goals))], np.int16))
            self._learner.add(EndedGame(game.positions, values))
            self._openings.count(game)
        self._forget(place)

    def _forget(self, place: _Place) -> None:
        self._games.pop(place, None)
        self._goals.pop(place, None)

    # ---- weights, and continuing later

    def model(self, about: About | None = None) -> AlphaZeroModel:
        """Return what was learned so far, as a value."""
        return self._learner.model(about or About())

    def take_over(self, model: AlphaZeroModel) -> None:
        """Take over the weights of a model of the same network. Raises LearningError."""
        self._learner.take_over(model)

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes, but for games that have not ended."""
        return {
            **self._learner.to_tree(),
            'lengths': [self._openings.ended, self._openings.moves],
            'learned': [self.decisions, self._learned],
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned."""
        self._learner.restore(tree)
        self._openings.ended, self._openings.moves = tree['lengths']
        self.decisions, self._learned = tree['learned']
