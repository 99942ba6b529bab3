"""The board of a match as markers."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from gdl_msgs.msg import GameInfo, Spectator  # noqa: E402
from graph import SCRIPT, Graph, read_all  # noqa: E402
from visualization_msgs.msg import Marker, MarkerArray  # noqa: E402

from gdl_env.ros.transport.qos import info_qos, spectator_qos  # noqa: E402

SIZE = 0.5


def test_board_of_tictactoe(graph: Graph) -> None:
    graph.environment(play_clock=0.0, missing_clock=0.0)
    graph.start('board_node', square_size=SIZE)
    found = graph.collect(MarkerArray, 'board', info_qos())
    for role, moves in (('x', '(mark 1 1);(mark 1 2);stop'), ('o', '(mark 3 3);(mark 3 2);stop')):
        graph.start('random_agent', node=role, role=role, agent=SCRIPT, detail=moves)
    assert graph.ask(1).accepted

    def pieces(array: MarkerArray) -> dict[tuple[int, int], str]:
        return {
            (int(m.pose.position.y // SIZE), int(m.pose.position.x // SIZE)): m.text
            for m in array.markers
            if m.type == Marker.TEXT_VIEW_FACING and m.ns.endswith('/names')
        }

    graph.wait(lambda: found and len(pieces(read_all(found[-1:], MarkerArray)[0])) == 4)
    array = read_all(found[-1:], MarkerArray)[0]
    assert array.markers[0].action == Marker.DELETEALL
    squares = [marker for marker in array.markers if marker.type == Marker.CUBE]
    places = {(m.pose.position.x, m.pose.position.y) for m in squares}
    assert places == {((x + 0.5) * SIZE, (y + 0.5) * SIZE) for x in range(3) for y in range(3)}
    assert {m.header.frame_id for m in array.markers} == {'board'}
    assert len({m.id for m in array.markers}) == len(array.markers)
    # Row 1 is at the top.
    assert pieces(array) == {(2, 0): 'x', (2, 1): 'x', (0, 2): 'o', (0, 1): 'o'}


def test_last_position_comes_before_the_rules(graph: Graph) -> None:
    graph.environment(play_clock=0.0, missing_clock=0.0)
    infos = graph.collect(GameInfo, 'info', info_qos())
    positions = graph.collect(Spectator, 'spectator', spectator_qos())
    boards = graph.collect(MarkerArray, 'board', info_qos())
    graph.start('board_node', '--ros-args', '-r', 'info:=late_info')
    graph.wait(lambda: len(graph.node.get_subscriptions_info_by_topic('/match/spectator')) == 2)
    graph.start('random_agent', roles=['x', 'o'])
    graph.play(1)
    graph.wait(lambda: any(read_all(positions[-1:], Spectator)[0].terminated))
    assert not boards
    graph.publisher(GameInfo, 'late_info', info_qos()).publish(infos[-1])
    graph.wait(lambda: boards)
