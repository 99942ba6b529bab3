"""A match waits for those who learn from it."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from diagnostic_msgs.msg import DiagnosticArray  # noqa: E402
from graph import Graph, read_all  # noqa: E402
from std_msgs.msg import MultiArrayDimension, UInt64MultiArray  # noqa: E402

from gdl_env.ros.transport.qos import credit_qos, diagnostics_qos  # noqa: E402

LEAD = 5
LANES = 4


def credit(*ticks: int) -> UInt64MultiArray:
    message = UInt64MultiArray(data=list(ticks))
    message.layout.dim = [MultiArrayDimension(label='/match/onlooker')]
    return message


@pytest.mark.slow
def test_a_match_waits_for_its_learner(graph: Graph) -> None:
    reports = graph.collect(DiagnosticArray, '/diagnostics', diagnostics_qos())
    publisher = graph.publisher(UInt64MultiArray, 'credit', credit_qos())
    graph.environment(lanes=LANES, cohorts=2, episodes=-1, play_clock=60.0, learner_lead=LEAD)
    # It begins before the agents do, and has taken in nothing.
    graph.wait(lambda: publisher.get_subscription_count())
    publisher.publish(credit())
    graph.start('random_agent', roles=['x', 'o'])
    waiting = graph.status(lambda status: status.message == 'waiting for the learner')
    # The first tick is 1: no more than the lead is played, in each cohort.
    assert waiting.tick == LEAD + 1
    publisher.publish(credit(2, 2, 3, 3))
    # The first cohort may play up to 7, the other one up to 8.
    graph.status(lambda status: status.tick == 3 + LEAD + 1)
    # A learner that is there and takes nothing in has lost what was on its way: it is counted.
    graph.status(lambda status: status.tick > 3 + LEAD + 1)
    lost = 'steps lost to learners'

    def count_lost() -> int:
        found = [
            int(value.value)
            for array in read_all(reports, DiagnosticArray)
            for status in array.status
            for value in status.values
            if value.key == lost
        ]
        return max(found, default=0)

    assert graph.wait(count_lost) % LANES == 0
    assert all(role.strikes == 0 for role in graph.statuses[-1].roles)

    # While it is away the match waits; another one begins where the match is.
    graph.do(lambda: graph.node.destroy_publisher(publisher))
    gone = 'waiting for the learner, which is not there'
    tick = graph.status(lambda status: status.message == gone).tick
    graph.statuses.clear()
    graph.wait(lambda: len(graph.statuses) > 8)
    assert {(status.tick, status.message) for status in graph.statuses} == {(tick, gone)}
    publisher = graph.publisher(UInt64MultiArray, 'credit', credit_qos())
    publisher.publish(credit())
    graph.status(lambda status: status.tick == tick + LEAD)
