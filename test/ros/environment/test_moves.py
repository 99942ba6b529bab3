"""Joint moves are announced where nothing is hidden, and nowhere else."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from gdl_msgs.msg import JointMoves  # noqa: E402
from graph import Graph, read_all  # noqa: E402

from gdl_env.engine.recordings.reader import read_recordings  # noqa: E402
from gdl_env.ros.transport.qos import moves_qos  # noqa: E402


def test_moves_are_those_of_the_recording(graph: Graph) -> None:
    """Of a game with dice, forced moves and draws included."""
    graph.environment('pig', record_lanes=1, require_recorder=True, episodes=2, max_steps=60)
    found = graph.collect(JointMoves, 'moves', moves_qos())
    graph.wait(lambda: graph.node.count_publishers('/match/moves'))
    graph.start('recorder_node', folder=str(graph.folder / 'record'))
    graph.start('legal_agent', roles=['alice', 'bob'])
    path = graph.folder / 'record' / 'matches.jsonl'
    graph.wait(lambda: path.exists() and path.read_text().count('"end"') == 2)
    recordings = list(read_recordings(path))
    steps = [step for recording in recordings for step in recording.steps]
    graph.wait(lambda: sum(len(m.episode) for m in read_all(found, JointMoves)) >= len(steps))
    messages = read_all(found, JointMoves)
    assert all(message.header.stamp.sec for message in messages)
    assert [m.tick for m in messages] == sorted(m.tick for m in messages)
    roles = list(messages[0].roles)
    announced = [
        {role: text for role, text in zip(roles, move, strict=True) if text}
        for message in messages
        for move in zip(*[iter(message.move)] * len(roles), strict=True)
    ]
    recorded = [{str(role): str(move) for role, move in s.moves.items()} for s in steps]
    assert announced == recorded
    assert [e for m in messages for e in m.episode] == [
        number for number, r in enumerate(recordings, 1) for _ in r.steps
    ]


def test_nothing_is_announced_where_something_is_hidden(graph: Graph) -> None:
    graph.environment('kuhn_poker', episodes=5)
    found = graph.collect(JointMoves, 'moves', moves_qos())
    graph.start('random_agent', roles=['alice', 'bob'])
    graph.status(lambda s: s.finished_episodes == 5)
    assert not found
    assert not graph.node.get_publishers_info_by_topic('/match/moves')
