"""The topics of one cohort of a match: takes questions, hands them to an agent, sends answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from gdl_msgs.msg import Reward, State

from gdl_agents.agent import Agent
from gdl_agents.errors import AgentError
from gdl_agents.ros.answer_sender import AnswerSender
from gdl_env.environment.protocol import Answer, MatchInfo, Question
from gdl_env.errors import GdlError
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.transport.cdr import unpack_question
from gdl_env.ros.transport.names import reward_topic, state_topic, view_topic
from gdl_env.ros.transport.qos import reward_qos, state_qos
from gdl_env.ros.transport.sources import find_rivals
from gdl_env.ros.transport.texts import one_line


@dataclass(frozen=True)
class Callbacks:
    """What the node of an agent does for each of its cohorts."""

    # Answer a question that this node is asked.
    answer: Callable[[CohortPlayer, Question], None]
    # See a view, or a question to another node.
    notice: Callable[[CohortPlayer, Question], None]
    # Receive the feedback of a role that this node owns.
    learn: Callable[[CohortPlayer, Reward], None]
    # Log an error, but not the same one again and again.
    complain: Callable[[str], None]


class CohortPlayer:
    """An agent in the lanes of one cohort: to the agent, they are a match of their own.

    While another node owns its role, it is a stand-by: it follows the questions and answers none.
    """

    def __init__(
        self, node: RosNode, cohort: int, agent: Agent, names: frozenset[str], callbacks: Callbacks
    ) -> None:
        """Know the names under which this node may be asked."""
        self._node = node
        self.cohort = cohort
        self.agent = agent
        self._names = names
        self._callbacks = callbacks
        # What the match is about, as far as these lanes are concerned. None: it has not begun.
        self.info: MatchInfo | None = None
        # By role: the last answer. If its question is asked again, it was lost on its way.
        self.last: dict[str, Answer] = {}
        # The newest question of each role that was taken, and those that could not be yet.
        self.ticks: dict[str, int] = {}
        self._waiting: dict[str, bytes] = {}
        # The stamps of those questions, and the roles in which this node was asked last.
        self._stamps: dict[str, int] = {}
        self.owned: set[str] = set()
        self._standing_by: set[str] = set()
        self._senders: dict[str, AnswerSender] = {}

    def attach(self, role: str) -> None:
        """Listen to the questions of a role, and get ready to answer."""
        if role in self._senders:
            return
        node, cohort = self._node, self.cohort
        self._senders[role] = AnswerSender(node, role, cohort)
        listen = partial(self._on_state, role)
        node.create_subscription(State, state_topic(role, cohort), listen, state_qos(), raw=True)
        if type(self.agent).notice is not Agent.notice:
            views = view_topic(role, cohort)
            node.create_subscription(State, views, listen, state_qos(), raw=True)
        if self.agent.wants_feedback:
            rewards = reward_topic(role, cohort)
            node.create_subscription(Reward, rewards, partial(self._on_reward, role), reward_qos())

    def forget(self) -> None:
        """Forget ticks: whoever asks may have started again, and counts from 1."""
        self.ticks.clear()
        self.last.clear()

    def take_waiting(self) -> None:
        """Answer questions that came before the match was known."""
        waiting, self._waiting = self._waiting, {}
        for role, state in waiting.items():
            self._on_state(role, state)

    def send(self, answer: Answer) -> None:
        """Send an answer, in the name of the agent."""
        self.last[answer.role] = answer
        if answer.agent != self.agent.name:
            answer = replace(answer, agent=self.agent.name)
        is_open = self.ticks.get(answer.role) == answer.tick
        self._senders[answer.role].send(answer, self._stamps[answer.role] if is_open else 0)

    # ---- inside

    def _on_state(self, role: str, data: bytes) -> None:
        if self.info is None:
            self._waiting[role] = data
            return
        try:
            question = unpack_question(data, self.info)
            if question.role != role:
                raise AgentError(
                    f'a state of role {question.role!r} came on the topic of {role!r}'
                )
        except GdlError as error:
            # It may belong to a match whose `info` is still on its way.
            self._waiting[role] = data
            self._callbacks.complain(one_line(str(error)))
            return
        if question.tick < self.ticks.get(role, 0):
            rivals = find_rivals(self._node, state_topic(role, self.cohort))
            if not rivals:
                self._waiting[role] = data
                return
            # A later one may be forged: it must not silence the agent.
            self._callbacks.complain(rivals)
        self.ticks[role] = question.tick
        self._stamps[role] = question.stamp
        if self._is_asked(question):
            self._callbacks.answer(self, question)
        else:
            self._callbacks.notice(self, question)

    def _is_asked(self, question: Question) -> bool:
        """Tell whether this node owns the role; views have no answer, whoever owns it."""
        is_owner = question.agent in self._names
        # In all cohorts it is the same: once is enough.
        log = self._node.get_logger().info if not self.cohort else _say_nothing
        if is_owner and question.role not in self.owned:
            self.owned.add(question.role)
            self._standing_by.discard(question.role)
            log(f'owns {question.role}')
        elif not is_owner:
            self.owned.discard(question.role)
            if question.agent and question.role not in self._standing_by:
                self._standing_by.add(question.role)
                log(f'stands by: {question.agent} owns {question.role}')
        return is_owner or not question.is_decision

    def _on_reward(self, role: str, message: Reward) -> None:
        if self.info is not None and role in self.owned:
            self._callbacks.learn(self, message)


def _say_nothing(_: str) -> None:
    """Log nothing."""
