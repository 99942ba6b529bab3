"""The topics of an environment: what it publishes, and where answers come in."""

from __future__ import annotations

from collections.abc import Callable

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
        referee: Referee,
        on_answer: Callable[[str, bytes], bool],
        *,
        busy_wait: bool,
    ) -> None:
        roles = referee.environment.roles
        self._node = node
        self.info = node.create_publisher(GameInfo, INFO, info_qos())
        self.status = node.create_publisher(Status, STATUS, status_qos())
        self.spectator = node.create_publisher(Spectator, SPECTATOR, spectator_qos())
        self._state = {
            role: node.create_publisher(State, state_topic(role), state_qos()) for role in roles
        }
        self._view = {
            role: node.create_publisher(State, view_topic(role), state_qos()) for role in roles
        }
        self._reward = {
            role: node.create_publisher(Reward, reward_topic(role), reward_qos()) for role in roles
        }
        self.inbox = Inbox(node, referee, on_answer, busy_wait=busy_wait)

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

    def is_attached(self, role: str) -> bool:
        """Tell whether an agent listens to questions, and can answer."""
        return bool(
            self._state[role].get_subscription_count() and self.inbox.count_publishers(role)
        )

    def close(self) -> None:
        """Take everything off the graph."""
        publishers = (self.info, self.status, self.spectator)
        roles = (self._state, self._view, self._reward)
        for publisher in (*publishers, *(topic for kind in roles for topic in kind.values())):
            self._node.destroy_publisher(publisher)
        self.inbox.close()
