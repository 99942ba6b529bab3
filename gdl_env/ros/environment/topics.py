"""The topics of an environment: what it publishes, and where answers come in."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gdl_msgs.msg import GameInfo, Reward, Spectator, State, Status

from gdl_env.environment.protocol import Question
from gdl_env.environment.referee import Referee
from gdl_env.environment.step import Step
from gdl_env.ros.environment.stamps import Stamps
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.transport.cdr import pack_question
from gdl_env.ros.transport.inbox import Inbox
from gdl_env.ros.transport.messages import to_reward
from gdl_env.ros.transport.names import (
    INFO,
    SPECTATOR,
    STATUS,
    reward_topic,
    state_topic,
    view_topic,
)
from gdl_env.ros.transport.qos import (
    info_qos,
    reward_qos,
    spectator_qos,
    state_qos,
    status_qos,
)


class Topics:
    """Publishers and subscriptions of a match."""

    def __init__(
        self,
        node: RosNode,
        referees: Sequence[Referee],
        on_answer: Callable[[int, str, bytes], bool],
        *,
        busy_wait: bool,
        kept: int,
    ) -> None:
        """Make the topics of all cohorts; each has a referee. So many questions are kept."""
        roles = referees[0].environment.roles
        self._node = node
        self.info = node.create_publisher(GameInfo, INFO, info_qos())
        self.status = node.create_publisher(Status, STATUS, status_qos())
        self.spectator = node.create_publisher(Spectator, SPECTATOR, spectator_qos())
        self.inbox = Inbox(node, referees, on_answer, busy_wait=busy_wait)
        self.cohorts = [
            CohortTopics(node, roles, number, self.inbox, kept) for number in range(len(referees))
        ]

    def is_attached(self, role: str) -> bool:
        """Tell whether an agent listens to questions, and can answer."""
        is_heard = all(cohort.is_heard(role) for cohort in self.cohorts)
        return bool(is_heard and self.inbox.count_publishers(role))

    def close(self) -> None:
        """Take everything off the graph."""
        for publisher in (self.info, self.status, self.spectator):
            self._node.destroy_publisher(publisher)
        for cohort in self.cohorts:
            cohort.close()
        self.inbox.close()


class CohortTopics:
    """Where the roles are asked in one cohort, and receive their feedback."""

    def __init__(
        self, node: RosNode, roles: tuple[str, ...], cohort: int, inbox: Inbox, kept: int
    ) -> None:
        self._node = node
        self._cohort = cohort
        self._inbox = inbox
        self._state = {
            role: node.create_publisher(State, state_topic(role, cohort), state_qos(kept))
            for role in roles
        }
        self._view = {
            role: node.create_publisher(State, view_topic(role, cohort), state_qos())
            for role in roles
        }
        self._reward = {
            role: node.create_publisher(Reward, reward_topic(role, cohort), reward_qos())
            for role in roles
        }

    def expect_answers(self) -> None:
        """Get ready for answers; call it before questions are published."""
        self._inbox.expect(self._cohort)

    def publish_question(
        self, question: Question, time_left: float, agent: str, stamp: int
    ) -> None:
        """Ask an agent a question, with the time that is left to answer it [s; 0: no limit]."""
        data = pack_question(question, time_left, agent=agent, stamp=stamp)
        self._state[question.role].publish(data)

    def show(self, question: Question, agent: str, stamp: int) -> None:
        """Publish what a role sees while others decide."""
        self._view[question.role].publish(pack_question(question, agent=agent, stamp=stamp))

    def viewers(self) -> list[str]:
        """Return the roles whose view, while others decide, has subscribers."""
        return [role for role, topic in self._view.items() if topic.get_subscription_count()]

    def publish_feedback(self, step: Step, stamps: Stamps) -> None:
        """Publish the feedback of a tick where it has subscribers."""
        for role in step.concerned:
            publisher = self._reward[role]
            if publisher.get_subscription_count():
                feedback = step.feedback[role]
                publisher.publish(to_reward(feedback, stamps.stamp(role, feedback.tick)))

    def is_heard(self, role: str) -> bool:
        """Tell whether a node listens to the questions of a role."""
        return bool(self._state[role].get_subscription_count())

    def close(self) -> None:
        """Take everything off the graph."""
        for kind in (self._state, self._view, self._reward):
            for publisher in kind.values():
                self._node.destroy_publisher(publisher)
