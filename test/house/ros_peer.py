"""The other side of test_ros.py: answer one State with an Action, in a process of its own."""

import array
import sys
import time

from gdl_msgs.msg import Action, State
import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile


def main(seconds: float) -> int:
    """Return 0 once an answer was sent and acknowledged, 1 if no state came in time."""
    deadline = time.monotonic() + seconds
    rclpy.init()
    node = rclpy.create_node('peer')
    publisher = node.create_publisher(Action, 'x/action', 10)
    acknowledged = []

    def on_state(state: State) -> None:
        answer = Action(tick=state.tick, role=state.role, agent=node.get_fully_qualified_name())
        answer.action = array.array('i', [bytes(state.legal).index(0b100)])
        publisher.publish(answer)
        acknowledged.append(True)

    # A late joiner must still get the state.
    qos = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    node.create_subscription(State, 'x/state', on_state, qos)
    while not acknowledged and time.monotonic() < deadline:
        rclpy.spin_once(node, timeout_sec=0.1)
    # Keep the writer alive until its answer has been taken.
    while acknowledged and publisher.get_subscription_count() and time.monotonic() < deadline:
        rclpy.spin_once(node, timeout_sec=0.1)
    node.destroy_node()
    rclpy.shutdown()
    return 0 if acknowledged else 1


if __name__ == '__main__':
    sys.exit(main(float(sys.argv[1])))
