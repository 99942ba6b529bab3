"""Where the frame of a board is: on /tf_static, as tf2 wants it."""

from __future__ import annotations

from math import pi, sqrt
import subprocess

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from graph import SCRIPTS, Graph, read_all  # noqa: E402
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue  # noqa: E402
from rcl_interfaces.srv import SetParameters  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile  # noqa: E402
from tf2_msgs.msg import TFMessage  # noqa: E402
from visualization_msgs.msg import MarkerArray  # noqa: E402

from gdl_env.ros.robot.board_frame import to_quaternion  # noqa: E402
from gdl_env.ros.transport.qos import info_qos  # noqa: E402

# As the listener of tf2 subscribes.
LISTENER = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def to_double(name: str, value: float) -> Parameter:
    kind = ParameterType.PARAMETER_DOUBLE
    return Parameter(name=name, value=ParameterValue(type=kind, double_value=value))


def test_transform_of_the_board(graph: Graph) -> None:
    graph.environment(play_clock=0.0, missing_clock=0.0)
    frames = {'frame_id': 'chess_board', 'parent_frame_id': 'table'}
    graph.start('board_node', **frames, x=0.5, z=0.75, yaw=pi / 2)
    boards = graph.collect(MarkerArray, 'board', info_qos())
    graph.start('random_agent', roles=['x', 'o'])
    assert graph.ask(1).accepted
    graph.wait(lambda: boards)
    markers = read_all(boards[-1:], MarkerArray)[0].markers
    assert {marker.header.frame_id for marker in markers} == {'chess_board'}

    # It was published before anyone subscribed.
    found = graph.collect(TFMessage, '/tf_static', LISTENER)
    graph.wait(lambda: found)
    (transform,) = read_all(found, TFMessage)[0].transforms
    assert transform.header.frame_id == 'table'
    assert transform.child_frame_id == 'chess_board'
    place, turn = transform.transform.translation, transform.transform.rotation
    assert (place.x, place.y, place.z) == (0.5, 0.0, 0.75)
    assert (turn.x, turn.y, turn.z, turn.w) == pytest.approx((0, 0, sqrt(0.5), sqrt(0.5)))

    # A board that was moved is where it stands now.
    name = '/match/board_node/set_parameters'
    answer = graph.call(SetParameters, name, parameters=[to_double('y', -0.25)])
    assert answer.results[0].successful
    graph.wait(lambda: len(found) > 1)
    (transform,) = read_all(found, TFMessage)[-1].transforms
    place = transform.transform.translation
    assert (place.x, place.y, place.z) == (0.5, -0.25, 0.75)


def test_another_node_has_the_frame(graph: Graph) -> None:
    graph.environment()
    graph.start('board_node', parent_frame_id='')
    graph.wait(lambda: graph.node.get_publishers_info_by_topic('/match/board'))
    assert not graph.node.get_publishers_info_by_topic('/tf_static')


@pytest.mark.parametrize(
    ('parameters', 'message'),
    [
        (['frame_id:=/board'], "frame_id must not begin with a slash: '/board'"),
        (['frame_id:=map'], "frame_id and parent_frame_id are both 'map'"),
        (['x:=left'], 'x'),
        (['square_size:=0.0'], 'square_size'),
    ],
)
def test_impossible_parameters(parameters: list[str], message: str) -> None:
    words = [word for each in parameters for word in ('-p', each)]
    command = [str(SCRIPTS / 'board_node'), '--ros-args', *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert done.stderr.startswith('board_node: ')
    assert message in done.stderr
    assert 'Traceback' not in done.stderr


@pytest.mark.parametrize(
    ('angles', 'expected'),
    [
        ((0, 0, 0), (0, 0, 0, 1)),
        ((pi, 0, 0), (1, 0, 0, 0)),
        ((0, pi / 2, 0), (0, sqrt(0.5), 0, sqrt(0.5))),
        # About x first, then about the z that did not move.
        ((pi / 2, 0, pi / 2), (0.5, 0.5, 0.5, 0.5)),
    ],
)
def test_angles(angles: tuple[float, ...], expected: tuple[float, ...]) -> None:
    turn = to_quaternion(*angles)
    assert (turn.x, turn.y, turn.z, turn.w) == pytest.approx(expected)
