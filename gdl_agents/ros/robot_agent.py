"""Any agent with an arm: it answers only once its move is on the board."""

from __future__ import annotations

from time import monotonic

from gdl_msgs.action import PlayMove
import numpy as np
from numpy.typing import NDArray

from gdl_agents.agent import Agent
from gdl_agents.errors import AgentError, StoppedError
from gdl_agents.registry import open_agent
from gdl_agents.ros.graph_agent import GraphAgent
from gdl_env.environment.protocol import NO_ACTION, Answer, Feedback, MatchInfo, Question
from gdl_env.ros.transport.names import PLAY_MOVE

# How often a move is tried before the agent gives up.
_ATTEMPTS = 3


class RobotAgent(GraphAgent):
    """Decides as another agent does, and has the move played by the action `play_move`.

    A move that could not be played is not answered: the node ends, and says what failed and what
    to put where. Started again, it is asked again.
    """

    name = 'robot'

    def __init__(self, agent: str) -> None:
        """Take the agent that decides. Raises AgentError if there is none."""
        super().__init__()
        if not agent:
            raise AgentError("agent 'robot' needs the agent that decides, as in robot:mcts")
        self._agent: Agent = open_agent(agent)
        self.wants_feedback = self._agent.wants_feedback
        self._info: MatchInfo | None = None
        # The answer to the last question, which may be asked again.
        self._decided: Answer | None = None

    def warm_up(self, info: MatchInfo, roles: tuple[str, ...]) -> None:
        """Have the agent compile and load what it needs."""
        if info.lanes > 1:
            raise AgentError(f'an arm has one board, but this match has {info.lanes} lanes')
        self._agent.warm_up(info, roles)

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Get the agent ready."""
        self._agent.name = self.name
        self._agent.tell = self.tell
        self._agent.begin(info, roles, seed)
        self._info = info
        self._decided = None

    def choose(self, question: Question) -> Answer:
        """Decide, and play the move. Raises StoppedError if that failed."""
        began = monotonic()
        answer = self._decided
        if answer is None or (answer.tick, answer.role) != (question.tick, question.role):
            answer = self._decided = self._agent.choose(question)
        move = self._read_move(answer)
        if move not in question.legal_moves:
            # The match has rules for that; an arm has none.
            return answer
        goal = PlayMove.Goal(role=question.role, move=move, facts=list(question.facts))
        for _ in range(_ATTEMPTS):
            left = question.time_left and max(0.1, question.time_left - (monotonic() - began))
            result = self.carry_out(PlayMove, PLAY_MOVE, goal, lambda told: None, left)
            if result.success:
                return answer
        raise StoppedError(f'{move} is not on the board: {result.message}')

    def _read_move(self, answer: Answer) -> str:
        if answer.action is not None and answer.action[0] != NO_ACTION and self._info is not None:
            return self._info.moves[int(answer.action[0])]
        return answer.moves[0] if answer.moves else ''

    # ---- all else is the agent's

    def report_status(self) -> dict[str, int]:
        """Return figures about the agent's play."""
        return self._agent.report_status()

    @property
    def seconds_a_move(self) -> float:
        """Return how long the agent thinks, without the motion."""
        return self._agent.seconds_a_move

    def policy(self, question: Question) -> NDArray[np.float64] | None:
        """Return how likely the agent takes each action."""
        return self._agent.policy(question)

    def note_played(self, question: Question, action: NDArray[np.int32]) -> None:
        """Tell the agent what was played."""
        self._agent.note_played(question, action)

    def preference_range(self, role: str) -> tuple[float, float] | None:
        """Return the agent's range."""
        return self._agent.preference_range(role)

    def notice(self, question: Question) -> None:
        """Show the agent what has changed."""
        self._agent.notice(question)

    def learn(self, feedback: Feedback) -> None:
        """Pass the feedback on."""
        self._agent.learn(feedback)

    def hear(self, team: str, role: str, text: str, data: bytes) -> None:
        """Pass on what a team-mate said."""
        self._agent.hear(team, role, text, data)

    def end(self) -> None:
        """End the agent."""
        self._agent.end()
