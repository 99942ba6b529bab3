"""Answers from what an agent chose."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_agents.errors import AgentError
from gdl_env.environment.protocol import Answer, Question


def answer_with_actions(question: Question, agent: str, action: NDArray[np.int32]) -> Answer:
    """Answer by index: NO_ACTION in lanes without a decision."""
    return Answer(question.tick, question.role, agent, action=action)


def answer_with_text(question: Question, agent: str, index: int) -> Answer:
    """Answer with one of the moves listed for lane 0, the only lane that is sent as text.

    Raises AgentError if none are listed.
    """
    if not question.legal_moves:
        raise AgentError(
            f'the question to role {question.role} at tick {question.tick} has neither a legal '
            'mask nor legal moves as text; start the environment with text, or with one lane'
        )
    moves = [''] * question.lanes
    moves[0] = question.legal_moves[index]
    return Answer(question.tick, question.role, agent, moves=tuple(moves))
