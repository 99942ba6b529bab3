"""Players that think ahead, as nodes of their own."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from graph import Graph, role_of  # noqa: E402


def test_a_match_of_lookahead_and_tree_search(shared_graph: Graph) -> None:
    shared_graph.environment(play_clock=30.0)
    shared_graph.start('lookahead_agent', node='ahead', role='x')
    shared_graph.start('mcts_agent', node='tree', role='o', detail='playouts=100')
    result = shared_graph.play(3, seed=5)
    assert result.finished_episodes == 3
    for role, name in (('x', '/match/ahead'), ('o', '/match/tree')):
        status = role_of(result, role)
        assert status.agent == name
        assert status.strikes == 0
