"""Whether agents still live: what DDS says of their publishers on `~/alive`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from rclpy.event_handler import SubscriptionEventCallbacks
from std_msgs.msg import Empty

from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.transport.names import ALIVE, private_name
from gdl_env.ros.transport.qos import alive_qos


class LifeSigns:
    """Listens to the liveliness of agents, by the full names of their nodes.

    It belongs to a node, not to one of its matches: a subscription with event callbacks is not
    safely destroyed before its node is (see transport/passing_topics.py). An agent that comes
    again is heard on the subscription that it had.
    """

    def __init__(self, node: RosNode) -> None:
        self._node = node
        self._subscriptions: dict[str, Any] = {}
        self._lost: set[str] = set()
        # Called whenever an agent is found alive, or lost.
        self.on_change: Callable[[], None] = _do_nothing

    def watch(self, names: Collection[str]) -> None:
        """Listen to these agents, too."""
        for name in set(names) - self._subscriptions.keys():
            self._subscriptions[name] = self._node.create_subscription(
                Empty,
                private_name(name, ALIVE),
                _ignore,
                alive_qos(),
                event_callbacks=SubscriptionEventCallbacks(
                    liveliness=partial(self._on_liveliness, name)
                ),
            )

    def is_lost(self, name: str) -> bool:
        """Tell whether an agent has been silent for too long."""
        return name in self._lost

    def forget_all_but(self, names: Collection[str]) -> None:
        """Forget what is known of agents that are off the graph."""
        self._lost.intersection_update(names)

    def _on_liveliness(self, name: str, event: Any) -> None:
        self.on_change()
        if event.alive_count:
            self._lost.discard(name)
        elif event.not_alive_count:
            self._lost.add(name)


def _ignore(_: Empty) -> None:
    """Receive nothing: nothing is ever published there."""


def _do_nothing() -> None:
    """No match is there to be told."""
