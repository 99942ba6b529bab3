"""A match waits for an environment that is on the graph and not ready yet, and for no other."""

from __future__ import annotations

import json
import time

import pytest

pytest.importorskip('rclpy', reason="pip install '.[ros]'")

from graph import SECONDS, Graph
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState

pytestmark = pytest.mark.ros

WAIT = 2.0


def test_a_match_waits_for_an_environment_that_gets_ready(graph: Graph) -> None:
    result = graph.folder / 'result.json'
    graph.start('env_node', game='tictactoe', autostart=False)
    graph.wait(lambda: ('env_node', '/match') in graph.node.get_node_names_and_namespaces())
    graph.start('random_agent', node='one', role='x')
    graph.start('random_agent', node='two', role='o')
    match = graph.start('match_node', episodes=3, wait_timeout=WAIT, result_file=str(result))
    graph.wait(lambda: 'the environment to get ready' in match.output)
    # Much longer than it waits for one that is not there.
    time.sleep(2 * WAIT + 1)
    assert match.popen.poll() is None, match.output
    for transition in (Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE):
        step = Transition(id=transition)
        assert graph.call(ChangeState, 'env_node/change_state', transition=step).success
    assert match.popen.wait(SECONDS) == 0, graph.report()
    assert json.loads(result.read_text())['episodes'] == 3


def test_a_match_without_an_environment_fails_in_words(graph: Graph) -> None:
    match = graph.start('match_node', episodes=3, wait_timeout=WAIT)
    assert match.popen.wait(SECONDS) == 1
    assert 'no environment answered at /match/play_matches for 2 s' in match.output
