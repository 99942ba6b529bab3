"""Publishers and subscriptions that come and go while their node runs.

They have no event callbacks, not even rclpy's own, which warn of an incompatible QoS: rclpy's
executor of events, and rmw, may crash the process where a publisher or a subscription that has
some is destroyed while nodes on its topic come or go (ros2/rclpy issue 1644). What has event
callbacks lives as long as its node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks

from gdl_env.ros.node_protocol import RosNode


def create_passing_publisher(node: RosNode, kind: type, topic: str, qos: Any) -> Any:
    """Return a publisher that may be destroyed at any time."""
    events = PublisherEventCallbacks(use_default_callbacks=False)
    return node.create_publisher(kind, topic, qos, event_callbacks=events)


def create_passing_subscription(
    node: RosNode,
    kind: type,
    topic: str,
    callback: Callable[[Any], object],
    qos: Any,
    *,
    raw: bool = False,
) -> Any:
    """Return a subscription that may be destroyed at any time."""
    events = SubscriptionEventCallbacks(use_default_callbacks=False)
    return node.create_subscription(kind, topic, callback, qos, event_callbacks=events, raw=raw)
