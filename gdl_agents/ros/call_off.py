"""Ends the episodes that any client had requested of an environment."""

from __future__ import annotations

from action_msgs.srv import CancelGoal

from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.transport.names import PLAY_MATCHES


class CallOff:
    """Cancels all goals of `play_matches` of one match, once; who asked for them gets a result."""

    def __init__(self, node: RosNode, prefix: str) -> None:
        """Send the request; `prefix` leads to the match, such as `actor_1/`."""
        # The service of every action server; an empty request means all goals.
        service = f'{prefix}{PLAY_MATCHES}/_action/cancel_goal'
        self._client = node.create_client(CancelGoal, service)
        # An environment that is gone plays nothing.
        if self._client.service_is_ready():
            self._client.call_async(CancelGoal.Request())
