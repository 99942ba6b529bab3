"""Where answers come in: handed on as they come or, while somebody floods a topic, fetched."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

from gdl_msgs.msg import Action
import rclpy
from rclpy.parameter import Parameter

from gdl_env.environment.referee import Referee
from gdl_env.ros.names import topic_part
from gdl_env.ros.qos import action_qos

# A flood is so many answers that do not count within the period [s].
_FLOOD = 300
_PERIOD = 0.1
# How often answers are fetched during a flood [s], and how many of one role at most in a row.
_FETCH_PERIOD = 0.001
_MOST = 500
# One in so many is looked at more closely, so that people are told who floods.
_SAMPLE = 256
# Answers that may wait, of each role: those of a flood must not push out the right one.
_DEPTH = 1000


class Inbox:
    """The answers of all roles.

    Each is given to `on_answer`, which says whether it counted. A callback for every message is
    the quickest way as long as they are few. In a flood the executor would do nothing else, so the
    topics are taken away from it, and those of awaited roles are looked at a thousand times a
    second. For that they belong to a node of their own, which the tools of ROS do not show.
    """

    def __init__(
        self,
        node: Any,
        referee: Referee,
        on_answer: Callable[[str, bytes], bool],
    ) -> None:
        self._owner = node
        self._referee = referee
        self._on_answer = on_answer
        self._node = rclpy.create_node(
            f'_{node.get_name()}_inbox',
            namespace=node.get_namespace(),
            context=node.context,
            use_global_arguments=False,
            enable_rosout=False,
            start_parameter_services=False,
            parameter_overrides=[Parameter('use_sim_time', value=False)],
        )
        qos = action_qos()
        qos.depth = _DEPTH
        # Raw: what does not count is dropped by its first bytes, without reading the rest.
        self._subscriptions = {
            role: self._node.create_subscription(
                Action,
                node.resolve_topic_name(f'{topic_part(role)}/action'),
                lambda data, role=role: self._on_message(role, data),
                qos,
                raw=True,
            )
            for role in referee.environment.roles
        }
        self._executor: Any = None
        self._dropped = 0
        self._since = monotonic()
        self.is_flooded = False
        self._timer = node.create_timer(_FETCH_PERIOD, self._fetch)
        self._timer.cancel()

    def count_publishers(self, role: str) -> int:
        """Return how many could answer for a role."""
        return int(self._owner.count_publishers(self._subscriptions[role].topic_name))

    def watch(self) -> None:
        """Join the executor of the environment, and see whether a flood is over; now and then."""
        if self._executor is None and self._owner.executor is not None:
            self._executor = self._owner.executor
            self._executor.add_node(self._node)
        if not self.is_flooded:
            return
        for role in self._subscriptions:
            if role not in self._referee.missing:
                self._take(role)
        now = monotonic()
        if now - self._since >= 5 * _PERIOD:
            if self._dropped < _FLOOD:
                self.is_flooded = False
                self._timer.cancel()
                self._executor.add_node(self._node)
            self._dropped, self._since = 0, now

    def close(self) -> None:
        """Take the topics off the graph."""
        self._owner.destroy_timer(self._timer)
        if self._executor is not None and not self.is_flooded:
            self._executor.remove_node(self._node)
        self._node.destroy_node()

    def _on_message(self, role: str, data: bytes) -> None:
        if self._on_answer(role, data):
            return
        self._dropped += 1
        if self._dropped >= _FLOOD and not self.is_flooded:
            now = monotonic()
            if now - self._since < _PERIOD and self._executor is not None:
                self.is_flooded = True
                self._executor.remove_node(self._node)
                self._timer.reset()
            self._dropped, self._since = 0, now

    def _fetch(self) -> None:
        for role in self._referee.missing:
            self._take(role)

    def _take(self, role: str) -> None:
        """Look through what came for a role, up to the answer that counts.

        Most of a flood is of another tick. That is seen here, by a few bytes: whatever is done
        for each message costs the match its speed.
        """
        subscription = self._subscriptions[role]
        tick = self._referee.environment.tick
        late = early = 0
        with subscription.handle:
            take = subscription.handle.take_message
            for _ in range(_MOST):
                found = take(Action, True)
                if found is None:
                    break
                data = found[0]
                number = int.from_bytes(data[4:12], 'little')
                if number == tick or data[1] != 1 or not (late + early) % _SAMPLE:
                    if self._on_answer(role, data):
                        break
                    self._dropped += 1
                elif number < tick:
                    late += 1
                else:
                    early += 1
        self._dropped += late + early
        self._referee.drop(role, late, early)
