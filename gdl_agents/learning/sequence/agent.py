"""Plays what a sequence network has learned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from gdl_agents.errors import AgentError
from gdl_agents.learning.mmd.agent import MmdAgent
from gdl_agents.learning.mmd.model import MmdModel
from gdl_agents.learning.sequence.model import SequenceModel
from gdl_agents.registry import open_agent
from gdl_agents.search.players.options import Value, read_options
from gdl_agents.search.players.player import SearchAgent
from gdl_env.environment.bits import Bits
from gdl_env.environment.protocol import Answer, MatchInfo, Question

S = TypeVar('S', bound='SequenceAgent')


class SequenceAgent(MmdAgent):
    """Draws moves from what a sequence network prefers.

    The detail is the folder of a run, or a snapshot, and perhaps options after it:
    `runs/connect_four/sequence-selfplay-1@3 guard=tactical`. With `guard` it chooses among the
    moves that a player who looks ahead would choose from, such as `tactical` or `lookahead`.
    """

    name = 'sequence'
    models: ClassVar[type[MmdModel]] = SequenceModel
    defaults: ClassVar[Mapping[str, Value]] = {'guard': ''}

    def __init__(self, detail: str) -> None:
        """Find the run. Raises RunError, AgentError."""
        words = detail.replace(',', ' ').split()
        has_place = bool(words) and '=' not in words[0]
        super().__init__(words[0] if has_place else '')
        options = read_options(self.name, ' '.join(words[has_place:]), self.defaults)
        self._guard = _open_guard(str(options['guard']))

    @classmethod
    def of(cls: type[S], model: MmdModel, guard: str = '') -> S:
        """Return an agent that plays a model."""
        agent = super().of(model)
        agent._guard = _open_guard(guard)
        return agent

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Load the network. Raises RunError, LearningError, AgentError."""
        super().begin(info, roles, seed)
        if self._guard is not None:
            self._guard.begin(info, roles, seed)

    def choose(self, question: Question) -> Answer:
        """Draw a move in every lane that has a decision."""
        answer = super().choose(self._narrow(question))
        if self._guard is not None and answer.action is not None:
            self._guard.note_played(question, answer.action)
        return answer

    def policy(self, question: Question) -> NDArray[np.float64]:
        """Return the probabilities it draws by."""
        return super().policy(self._narrow(question))

    def notice(self, question: Question) -> None:
        """Remember what is shown while others decide."""
        super().notice(question)
        if self._guard is not None:
            self._guard.notice(question)

    def note_played(self, question: Question, action: NDArray[np.int32]) -> None:
        """Remember what was played."""
        super().note_played(question, action)
        if self._guard is not None:
            self._guard.note_played(question, action)

    def report_status(self) -> dict[str, int]:
        """Return the figures of the guard, if there is one."""
        return {} if self._guard is None else self._guard.report_status()

    def end(self) -> None:
        """Release what is held."""
        if self._guard is not None:
            self._guard.end()

    def _narrow(self, question: Question) -> Question:
        """Return a question in which only the moves of the guard are legal."""
        if self._guard is None or question.legal is None or not question.is_decision:
            return question
        best: Bits = self._guard.find_best(question)
        return replace(question, legal=best)


def _open_guard(name: str) -> SearchAgent | None:
    """Return the player that a guard names. Raises AgentError, UnknownAgentError."""
    if not name:
        return None
    agent = open_agent(name)
    if not isinstance(agent, SearchAgent):
        raise AgentError(f'guard={name}: a guard must look ahead, as tactical and lookahead do')
    return agent
