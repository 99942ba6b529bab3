"""Exchange messages of gdl_msgs between two processes over real ROS 2."""

import array
from collections.abc import Iterator
import os
from pathlib import Path
import subprocess
import sys
import time

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(120)]

rclpy = pytest.importorskip('rclpy', reason='ROS 2 is not installed')
gdl_msgs = pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

PEER = Path(__file__).with_name('ros_peer.py')
SECONDS = 60


@pytest.fixture
def peer(own_domain: int) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, str(PEER), str(SECONDS)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def test_state_and_action_travel_between_processes(peer: subprocess.Popen[str]) -> None:
    from rclpy.qos import DurabilityPolicy, QoSProfile

    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node('environment', context=context)
    executor = rclpy.executors.SingleThreadedExecutor(context=context)
    executor.add_node(node)
    answers = []
    subscription = node.create_subscription(gdl_msgs.Action, 'x/action', answers.append, 10)
    qos = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    publisher = node.create_publisher(gdl_msgs.State, 'x/state', qos)

    state = gdl_msgs.State(tick=7, role='x', lanes=1, facts=['(control x)'])
    state.episode = array.array('Q', [1])
    state.legal = array.array('B', [0, 0b100])
    publisher.publish(state)

    deadline = time.monotonic() + SECONDS
    while not answers and peer.poll() is None and time.monotonic() < deadline:
        executor.spin_once(timeout_sec=0.1)
    # Lets the other side see that its answer was taken.
    node.destroy_subscription(subscription)

    output = peer.communicate(timeout=SECONDS)[1]
    executor.shutdown()
    node.destroy_node()
    rclpy.shutdown(context=context)
    assert peer.returncode == 0, output
    (answer,) = answers
    assert (answer.tick, answer.role, answer.agent) == (7, 'x', '/peer')
    assert list(answer.action) == [1]


def test_environment_is_found_by_ros_tools() -> None:
    index = pytest.importorskip('ament_index_python.packages')
    share = Path(index.get_package_share_directory('gdl_env'))
    assert (share / 'package.xml').is_file()
    assert (share / 'launch').is_dir()
    assert (share / 'games').is_dir()
    prefix = Path(index.get_package_prefix('gdl_env'))
    assert os.access(prefix / 'lib' / 'gdl_env' / 'gdl', os.X_OK)
    assert Path(index.get_package_share_directory('gdl_msgs'), 'msg', 'State.msg').is_file()
