"""Players of networks of values in a round robin.

Players that are the same network, weakened differently, are asked in one pass: what differs are
the share of random moves and the temperature of each lane.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gdl_agents.learning.dqn.model import Model, values_of
from gdl_agents.learning.dqn.policy import choose_actions
from gdl_agents.learning.levels.ladder import Player
from gdl_agents.learning.networks import ValueNetwork
from gdl_agents.players.draws import question_key
from gdl_env.environment.protocol import NO_ACTION, Answer, MatchInfo, Question


class ValueContestants:
    """Answers by values, temperatures and shares of random moves."""

    remembers = False

    def __init__(
        self, players: Sequence[Player], models: Sequence[Mapping[str, Model]], actions: int
    ) -> None:
        """Take players, the models of each by role, and how many actions the game has."""
        self._models = models
        self._actions = actions
        self._epsilon = np.array([player.epsilon for player in players])
        # In units of reward.
        self._temperature = np.array([player.temperature for player in players])
        self._networks: dict[int, ValueNetwork] = {}
        self._seed = 0

    def begin(self, info: MatchInfo, seed: int) -> None:
        """Draw by a seed."""
        self._seed = seed

    def answer(self, question: Question, player: NDArray[np.int64]) -> Answer:
        """Answer for the player of each lane."""
        assert question.observation is not None and question.legal is not None
        key = question_key(self._seed, question.role, question.tick)
        chance = np.random.Generator(np.random.Philox(key=key))
        asked = np.flatnonzero(question.to_move)
        values = np.zeros((question.lanes, self._actions), np.float32)
        unit = np.ones(question.lanes)
        models: dict[int, tuple[Model, list[int]]] = {}
        for number in np.unique(player[asked]):
            model = self._models[number].get(question.role)
            if model is not None and self._epsilon[number] < 1:
                models.setdefault(id(model), (model, []))[1].append(int(number))
        for model, numbers in models.values():
            rows = asked[np.isin(player[asked], numbers)]
            seen = model.seen(question).observation
            assert seen is not None
            values[rows] = values_of(self._network(model), seen.unpack()[rows], model.support)
            unit[rows] = model.value_unit
        # Without a model, moves are random.
        is_random = np.array([question.role not in models for models in self._models])
        epsilon = np.where(is_random, 1.0, self._epsilon)[player[asked]]
        temperature = (self._temperature[player] / unit)[asked]
        action = np.full(question.lanes, NO_ACTION, np.int32)
        legal = question.legal.unpack()[asked]
        action[asked] = choose_actions(values[asked], legal, epsilon, chance, temperature)
        return Answer(question.tick, question.role, 'round robin', action)

    def _network(self, model: Model) -> ValueNetwork:
        if id(model) not in self._networks:
            self._networks[id(model)] = model.build().eval()
        return self._networks[id(model)]
