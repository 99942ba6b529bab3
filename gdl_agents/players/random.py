"""Plays any legal move, each as likely as the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_agents.agent import Agent
from gdl_agents.players.answering import answer_with_actions, answer_with_text
from gdl_agents.players.draws import question_key
from gdl_agents.players.picking import pick_random
from gdl_env.environment.protocol import Answer, MatchInfo, Question
from gdl_env.play.plain_chance import draw_below


class RandomAgent(Agent):
    """Plays any legal move, all equally likely.

    It draws by (seed, role, tick, lane): the same question always gets the same answer.
    """

    name = 'random'

    def __init__(self) -> None:
        self._seed = 0

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Remember the seed."""
        self._seed = seed

    def choose(self, question: Question) -> Answer:
        """Draw a legal move in every lane that has a decision."""
        key = question_key(self._seed, question.role, question.tick, question.first_lane)
        if question.legal is None:
            rank = draw_below(key, 0, len(question.legal_moves))
            return answer_with_text(question, self.name, rank)
        return answer_with_actions(question, self.name, pick_random(question, key))

    def policy(self, question: Question) -> NDArray[np.float64]:
        """Return the same probability for all legal moves."""
        if question.legal is None:
            count = len(question.legal_moves)
            return np.full((1, count), 1.0 / max(1, count))
        legal = question.legal.unpack().astype(np.float64)
        likely: NDArray[np.float64] = legal / np.maximum(legal.sum(axis=1, keepdims=True), 1.0)
        return likely
