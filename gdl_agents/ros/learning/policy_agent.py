"""Plays what a learner on the graph is learning."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gdl_agents.agent import Agent
from gdl_agents.learning.dqn.network_agent import NetworkAgent
from gdl_agents.learning.trained_models import AnyModel, make_player
from gdl_agents.players.draws import LaneDraws, question_key
from gdl_agents.players.picking import pick_random
from gdl_agents.players.random import RandomAgent
from gdl_env.environment.protocol import Answer, MatchInfo, Question


class PolicyAgent(Agent):
    """Plays by the newest model it was given; until there is one, as another agent would."""

    name = 'policy'

    def __init__(self, first: Agent | None = None, epsilon: float = 0.0) -> None:
        self._player = first or RandomAgent()
        # The share of random moves, so that a copy does not play the same game again and again.
        self._epsilon = epsilon
        self._begun: tuple[MatchInfo, tuple[str, ...], int] | None = None
        # Of the model that plays; -1 before the first.
        self.version = -1

    def take(self, model: AnyModel, version: int) -> None:
        """Play by a model from the next question on. Raises LearningError if it does not fit."""
        player = make_player(model, self._epsilon)
        if self._begun is not None:
            player.begin(*self._begun)
        self._player, self.version = player, version

    def set_epsilon(self, epsilon: float) -> None:
        """Change the share of random moves, from the next question on."""
        self._epsilon = epsilon
        if isinstance(self._player, NetworkAgent):
            self._player.epsilon = epsilon

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Begin a match. Raises LearningError if the model is of another game."""
        self._begun = info, roles, seed
        self._player.begin(info, roles, seed)

    def choose(self, question: Question) -> Answer:
        """Answer for all lanes that have a decision."""
        self._player.name = self.name
        answer = self._player.choose(question)
        if isinstance(self._player, NetworkAgent | RandomAgent) or answer.action is None:
            return answer
        return replace(answer, action=self._explore(question, answer.action))

    def _explore(self, question: Question, action: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return actions of which a share is random: for players that have no such share."""
        assert self._begun is not None
        role = f'{question.role} explores'
        key = question_key(self._begun[2], role, question.tick, question.first_lane)
        share = LaneDraws(key, np.arange(question.lanes)).random(question.lanes)
        is_random = question.to_move & (share < self._epsilon)
        explored: NDArray[np.int32] = np.where(is_random, pick_random(question, key), action)
        return explored

    def end(self) -> None:
        """End the match."""
        self._begun = None
        self._player.end()
