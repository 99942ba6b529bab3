"""Plays by the values that a network gives to actions."""

from __future__ import annotations

import numpy as np

from gdl_agents.agent import Agent
from gdl_agents.errors import AgentError
from gdl_agents.learning.dqn.model import Model, values_of
from gdl_agents.learning.dqn.policy import choose_actions
from gdl_agents.players.draws import LaneDraws, question_key
from gdl_env.environment.protocol import NO_ACTION, Answer, MatchInfo, Question


class NetworkAgent(Agent):
    """Plays the best legal action in all lanes at once.

    With `epsilon`, a share of random ones; with a `temperature` (in units of reward), moves that
    are nearly as good are played nearly as often. Draws belong to (seed, role, tick, lane).
    """

    name = 'network'

    def __init__(self, model: Model, epsilon: float = 0.0, temperature: float = 0.0) -> None:
        self._use(model)
        self.epsilon = epsilon
        self.temperature = temperature
        self._seed = 0

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Raise LearningError if the network was not made for these roles of the game."""
        self.model.check(info, roles)
        self._seed = seed

    def choose(self, question: Question) -> Answer:
        """Answer for all lanes that have a decision."""
        if question.observation is None or question.legal is None:
            raise AgentError(f'role {question.role}: without vectors there is nothing to go by')
        question = self.model.seen(question)
        assert question.observation is not None and question.legal is not None
        lanes = np.flatnonzero(question.to_move)
        observation = question.observation.unpack()[lanes]
        legal = question.legal.unpack()[lanes]
        values = values_of(self._network, observation, self._support)
        key = question_key(self._seed, question.role, question.tick, question.first_lane)
        action = np.full(question.lanes, NO_ACTION, np.int32)
        chance = LaneDraws(key, lanes)
        action[lanes] = choose_actions(
            values, legal, self.epsilon, chance, self.temperature / self.model.value_unit
        )
        preference = None
        if question.lanes == 1:
            # A person who watches may wonder why.
            preference = np.full((1, legal.shape[1]), -np.inf, np.float32)
            preference[lanes] = np.where(legal, values, -np.inf)
        return Answer(
            question.tick, question.role, self.name, action=action, preference=preference
        )

    def preference_range(self, role: str) -> tuple[float, float]:
        """Return the least and the most that the network can expect."""
        return self.model.low, self.model.high

    def _use(self, model: Model) -> None:
        self.model = model
        self._network = model.build().eval()
        self._support = model.support
