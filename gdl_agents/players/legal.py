"""Plays the first legal move."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_agents.agent import Agent
from gdl_agents.players.answering import answer_with_actions, answer_with_text
from gdl_agents.players.picking import pick_first
from gdl_env.environment.protocol import Answer, Question


class LegalAgent(Agent):
    """Plays the first legal move: the lowest action of a lane, or the first of the list."""

    name = 'legal'

    def choose(self, question: Question) -> Answer:
        """Take the first legal move in every lane that has a decision."""
        if question.legal is None:
            return answer_with_text(question, self.name, 0)
        return answer_with_actions(question, self.name, pick_first(question))

    def policy(self, question: Question) -> NDArray[np.float64]:
        """Return that the first legal move is certain."""
        if question.legal is None:
            return np.eye(1, len(question.legal_moves))
        chosen = np.zeros((question.lanes, question.legal.size))
        lanes = np.flatnonzero(question.to_move)
        chosen[lanes, pick_first(question)[lanes]] = 1.0
        return chosen
