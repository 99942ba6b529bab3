"""What an agent says about its play, for the tools of ROS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from gdl_agents.agent import Agent
from gdl_env.ros.transport.names import DIAGNOSTICS
from gdl_env.ros.transport.qos import diagnostics_qos


class AgentDiagnostics:
    """Publishes `Agent.report_status` when it changes; agents that report nothing cost nothing."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._last: dict[str, int] = {}
        self._publisher: Any = None

    def publish(self, agents: Sequence[Agent]) -> None:
        """Publish the figures of an agent, of all cohorts, if they are others than before."""
        status = agents[0].report_status()
        for agent in agents[1:]:
            for key, number in agent.report_status().items():
                status[key] = status.get(key, 0) + number
        if status == self._last:
            return
        self._last = status
        if self._publisher is None:
            self._publisher = self._node.create_publisher(
                DiagnosticArray, DIAGNOSTICS, diagnostics_qos()
            )
        message = DiagnosticArray(status=[make_status(agents[0].name, status)])
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)


def make_status(name: str, status: dict[str, int]) -> DiagnosticStatus:
    """Return the figures of an agent as a message: a warning if decisions were blind."""
    blind = status.get('blind_decisions', 0)
    words = f'{blind} of {status.get("hidden_decisions", 0)} decisions were blind'
    return DiagnosticStatus(
        level=DiagnosticStatus.WARN if blind else DiagnosticStatus.OK,
        name=f'{name}: decisions',
        message=words if blind else 'all decisions by what is known',
        hardware_id=name,
        values=[KeyValue(key=key.replace('_', ' '), value=str(n)) for key, n in status.items()],
    )
