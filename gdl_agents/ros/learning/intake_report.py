"""What a learner takes in, on `/diagnostics`."""

from __future__ import annotations

from time import monotonic

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from gdl_agents.ros.learning.intake import Intake
from gdl_env.ros.node_protocol import GraphNode
from gdl_env.ros.transport.names import DIAGNOSTICS
from gdl_env.ros.transport.qos import diagnostics_qos

_PERIOD = 1.0


class IntakeReport:
    """Publishes the counts of an intake once a second, while there is any."""

    def __init__(self, node: GraphNode) -> None:
        self._node = node
        self._publisher = node.create_publisher(DiagnosticArray, DIAGNOSTICS, diagnostics_qos())
        self._last = monotonic(), 0
        self._lost = 0

    def publish(self, intake: Intake) -> None:
        """Publish, if it is due: a warning if anything was lost since the last time."""
        now, (before, taken) = monotonic(), self._last
        if not intake.taken or now - before < _PERIOD:
            return
        lost, self._lost = intake.lost - self._lost, intake.lost
        rate = (intake.taken - taken) / (now - before)
        self._last = now, intake.taken
        name = self._node.get_fully_qualified_name()
        status = DiagnosticStatus(
            level=DiagnosticStatus.WARN if lost else DiagnosticStatus.OK,
            name=f'{name}: intake',
            message=f'{lost} steps of others were lost' if lost else 'nothing was lost',
            hardware_id=name,
            values=[
                KeyValue(key='steps/s', value=f'{rate:.1f}'),
                KeyValue(key='steps taken in', value=str(intake.taken)),
                KeyValue(key='steps lost', value=str(intake.lost)),
                KeyValue(key='highest lag of policies [updates]', value=str(intake.highest_lag)),
            ],
        )
        message = DiagnosticArray(status=[status])
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)
