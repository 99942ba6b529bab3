"""Publishes answers; holds them back until the environment listens."""

from __future__ import annotations

from gdl_msgs.msg import Action

from gdl_env.environment.protocol import Answer
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.timers import create_timer
from gdl_env.ros.transport.cdr import pack_answer
from gdl_env.ros.transport.names import action_topic
from gdl_env.ros.transport.qos import action_qos

# Seconds between two checks whether the environment listens.
_PERIOD = 0.02


class AnswerSender:
    """Sends the answers of one role in one cohort.

    A node that has just started may be given its first question before the environment has found
    the topic of its answers. What was published then would be lost, and the match would wait.
    """

    def __init__(self, node: RosNode, role: str, cohort: int = 0) -> None:
        topic = action_topic(role, cohort)
        self._publisher = node.create_publisher(Action, topic, action_qos())
        # An answer, and the stamp of its question.
        self._held: tuple[Answer, int] | None = None
        self._timer = create_timer(node, _PERIOD, self._on_timer)
        self._timer.cancel()

    def send(self, answer: Answer, stamp: int) -> None:
        """Publish an answer, at once or when the environment listens; a newer one replaces it."""
        if self._publisher.get_subscription_count():
            self._held = None
            self._publisher.publish(pack_answer(answer, stamp))
            return
        self._held = answer, stamp
        self._timer.reset()

    def _on_timer(self) -> None:
        if self._held is None:
            self._timer.cancel()
        elif self._publisher.get_subscription_count():
            self._timer.cancel()
            self.send(*self._held)
