"""A match on the table with physics, and what an arm and a camera publish of it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(300)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')
pytest.importorskip('sensor_msgs.msg', reason='sensor_msgs is not installed')
pytest.importorskip('trajectory_msgs.msg', reason='trajectory_msgs is not installed')
pytest.importorskip('mujoco', reason='MuJoCo is not installed')
pytest.importorskip('cv2', reason='OpenCV is not installed')
if not any(Path('/usr').glob('lib*/*/libOSMesa.so*')):
    pytest.skip('no pictures without libosmesa6', allow_module_level=True)

from gdl_msgs.msg import SeenBoard  # noqa: E402
from graph import Graph, read_all  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile  # noqa: E402
from sensor_msgs.msg import CameraInfo, CompressedImage, Image, JointState  # noqa: E402
from tf2_msgs.msg import TFMessage  # noqa: E402
from trajectory_msgs.msg import JointTrajectory  # noqa: E402

from gdl_env.ros.transport.qos import seen_board_qos, sensor_qos  # noqa: E402

LISTENER = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def test_a_match_by_arm_hand_and_camera(graph: Graph) -> None:
    graph.environment(play_clock=0.0, missing_clock=0.0)
    topics = {
        'joint_states': JointState,
        'joint_trajectory': JointTrajectory,
        'camera/image_raw': Image,
        'camera/image_raw/compressed': CompressedImage,
        'camera/camera_info': CameraInfo,
    }
    seen = {name: graph.collect(kind, name, sensor_qos()) for name, kind in topics.items()}
    boards = graph.collect(SeenBoard, 'seen_board', seen_board_qos())
    frames = graph.collect(TFMessage, '/tf_static', LISTENER)
    size = {'picture_width': 480, 'picture_height': 360}
    table = {'executor': 'mujoco', 'hands': ['o'], 'speed': 0.0, 'camera_period': 0.05}
    graph.start('robot_node', **table, **size)
    graph.start('perception_node')
    graph.start('agent_node', node='arm', agent='robot:random', role='x')
    graph.start('agent_node', node='hand', agent='hand', role='o')
    result = graph.play(1, seed=5, seconds=240)
    assert result.finished_episodes == 1
    # What was played is what was seen: no answer was illegal or late.
    assert [role.strikes for role in result.roles] == [0, 0]

    graph.wait(lambda: frames)
    places = {one.child_frame_id for one in read_all(frames, TFMessage)[-1].transforms}
    assert {'camera_optical_frame', 'arm', 'board/row_3_column_1'} <= places
    got = {name: read_all(found, topics[name]) for name, found in seen.items()}
    joints = got['joint_states'][-1]
    assert len(joints.name) == len(joints.position) == len(joints.velocity) == 9
    assert len({tuple(one.position) for one in got['joint_states']}) > 3
    paths = got['joint_trajectory']
    assert all(path.joint_names == joints.name[:5] for path in paths)
    # Each begins where the one before has ended.
    for path in paths:
        times = [p.time_from_start.sec + p.time_from_start.nanosec * 1e-9 for p in path.points]
        assert times == sorted(times)
    image, info = got['camera/image_raw'][-1], got['camera/camera_info'][-1]
    assert (image.width, image.height, image.encoding, image.step) == (480, 360, 'rgb8', 1440)
    assert len(image.data) == 480 * 360 * 3
    assert len(set(bytes(image.data))) > 50
    assert image.header.frame_id == info.header.frame_id == 'camera_optical_frame'
    assert info.k[0] == info.k[4] == pytest.approx(180 / 0.26795, rel=1e-3)
    assert bytes(got['camera/image_raw/compressed'][-1].data)[:2] == b'\xff\xd8'
    last = read_all(boards, SeenBoard)[-1]
    assert len(last.squares) == 9


def test_physics_need_their_packages(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('MUJOCO_GL', 'nonsense')
    graph.environment(play_clock=0.0, missing_clock=0.0)
    robot = graph.start('robot_node', executor='mujoco')
    graph.wait(lambda: 'nonsense' in robot.output or robot.popen.poll() is not None)
    assert 'MUJOCO_GL' in robot.output
