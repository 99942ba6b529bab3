"""Games whose rules have no answer in some state: the match fails, and says why."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(120)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from gdl_msgs.msg import Status  # noqa: E402
from graph import Graph  # noqa: E402

# 201 is reached after 200, where the range ends.
RANGE = """
(role walker)
(init (at 0))
(<= (legal walker left) (true (at ?n)))
(<= (legal walker right) (true (at ?n)))
(<= (next (at [0,200]:?n)) (does walker ?foot) (true (at ?m)) (add ?m 1 ?n))
(<= terminal (true (at 202)))
(goal walker 100)
"""
DEAD_END = """
(role walker)
(init (at 0))
(<= (legal walker left) (true (at ?n)) (less ?n 200))
(<= (legal walker right) (true (at ?n)) (less ?n 200))
(<= (next (at [0,200]:?n)) (does walker ?foot) (true (at ?m)) (add ?m 1 ?n))
(<= terminal (true (at 202)))
(goal walker 100)
"""


@pytest.mark.parametrize(
    ('rules', 'words'),
    [
        (RANGE, '(at 201) is outside the range [0,200] of its rule'),
        (DEAD_END, 'a dead end: no role has a move, but the game is not over in the state'),
    ],
)
def test_the_match_fails_and_the_node_stays(graph: Graph, rules: str, words: str) -> None:
    path = graph.folder / 'walk.gdl'
    path.write_text(rules)
    environment = graph.environment(str(path))
    graph.start('random_agent', node='walker', role='walker')
    result = graph.result(graph.ask(3))
    assert not result.success
    assert result.finished_episodes < 3
    status = graph.status(lambda s: s.phase == Status.PHASE_FAILED)
    assert words in status.message
    assert words in environment.output
    assert 'Traceback' not in environment.output
    # It is still there, and fails again when asked again.
    assert not graph.result(graph.ask(3)).success
    assert environment.popen.poll() is None
