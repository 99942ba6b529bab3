"""Plays any legal move, each as likely as the others."""

from __future__ import annotations

import numpy as np

from gdl_agents.agent import Agent
from gdl_agents.answering import answer_with_actions, answer_with_text
from gdl_agents.draws import draw_below
from gdl_agents.picking import count_legal, pick_nth
from gdl_env.environment.exchange import Answer, MatchInfo, Question


class RandomAgent(Agent):
    """Draws by (seed, role, tick, lane): the same question is always answered alike."""

    name = 'random'

    def __init__(self) -> None:
        self._seed = 0

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Remember the seed."""
        self._seed = seed

    def choose(self, question: Question) -> Answer:
        """Draw a legal move in every lane that has a decision."""
        if question.legal is None:
            limit = np.array([len(question.legal_moves)], np.int32)
            drawn = draw_below(self._seed, question.role, question.tick, limit)
            return answer_with_text(question, self.name, int(drawn[0]))
        limit = count_legal(question.legal)
        rank = draw_below(self._seed, question.role, question.tick, limit)
        return answer_with_actions(question, self.name, pick_nth(question.legal, rank))
