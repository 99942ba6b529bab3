"""A person who moves real pieces: the move is what a camera has seen."""

from __future__ import annotations

from gdl_msgs.action import WaitForMove

from gdl_agents.errors import AgentError
from gdl_agents.ros.graph_agent import GraphAgent
from gdl_env.environment.protocol import Answer, MatchInfo, Question
from gdl_env.ros.transport.names import WAIT_FOR_MOVE


class HandAgent(GraphAgent):
    """Answers with the move that the action `wait_for_move` has recognised."""

    name = 'hand'

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Check the match. Raises AgentError if it has several boards."""
        if info.lanes > 1:
            raise AgentError(f'a person has one board, but this match has {info.lanes} lanes')

    def choose(self, question: Question) -> Answer:
        """Wait for the move. Raises AgentError if the wait ends without one."""
        goal = WaitForMove.Goal(
            role=question.role,
            facts=list(question.facts),
            legal_moves=list(question.legal_moves),
        )
        result = self.carry_out(
            WaitForMove,
            WAIT_FOR_MOVE,
            goal,
            # The node that looks logs what is wrong.
            lambda told: None,
            question.time_left,
        )
        if not result.success:
            raise AgentError(result.message)
        return Answer(question.tick, question.role, self.name, moves=(result.move,))
