"""Nodes run no code that files name, and no pickle that messages hold."""

from __future__ import annotations

import array
import os
from pathlib import Path
import pickle
from typing import TYPE_CHECKING

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('torch', reason='PyTorch is not installed')

if TYPE_CHECKING:
    from graph import Graph

pytestmark = [pytest.mark.ros, pytest.mark.torch]

HOOK = """
from pathlib import Path
from gdl_agents.learning.training.rewards import OutcomeReward

Path({mark!r}).write_text('run')
MINE = OutcomeReward()
"""


def test_learner_runs_no_code_of_a_file(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('GDL_CACHE', str(tmp_path / 'cache'))
    mark, hook, config = tmp_path / 'mark', tmp_path / 'hook.py', tmp_path / 'options.yaml'
    hook.write_text(HOOK.format(mark=str(mark)))
    config.write_text(f'reward: {hook}:MINE\n')
    graph.environment()
    refused = graph.start('learner_node', roles=['x', 'o'], config=str(config))
    assert refused.popen.wait(60) == 1
    assert f'{config}: reward names code' in refused.output
    assert 'allow it with trust:=true' in refused.output
    assert not mark.exists()
    graph.start('learner_node', roles=['x', 'o'], config=str(config), trust=True)
    graph.wait(mark.exists)


class Evil:
    """Runs a command when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f'touch {self.mark}',)


def test_policy_message_runs_nothing(graph: Graph, tmp_path: Path) -> None:
    from gdl_msgs.msg import Policy

    from gdl_env.ros.transport.qos import policy_qos

    mark = tmp_path / 'mark'
    message = Policy(game='tictactoe', roles=['x', 'o'], algorithm='rainbow', version=1)
    message.weights = array.array('B', pickle.dumps(Evil(mark)))
    publisher = graph.publisher(Policy, 'policy', policy_qos())
    graph.environment()
    follower = graph.start('rainbow_agent', roles=['x', 'o'], follow='policy')
    graph.wait(publisher.get_subscription_count)
    publisher.publish(message)
    graph.wait(lambda: 'damaged, or no file of a run' in follower.output)
    # It is reported, and the agent plays on.
    assert graph.play(2).success
    assert follower.popen.poll() is None
    assert not mark.exists()
