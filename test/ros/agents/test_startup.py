"""Agents that need neither numba nor PyTorch start without them."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.ros

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

# One question, as a node in a match with one lane answers it.
CODE = """
import sys
import numpy as np
import gdl_agents.ros.executables
import gdl_agents.ros.agent_node
from gdl_agents.registry import open_agent
from gdl_env.environment.bits import Bits
from gdl_env.environment.protocol import MatchInfo, Question
info = MatchInfo('any', '', ('x',), 1, 3, 3, ('a', 'b', 'c'), ('f', 'g', 'h'))
mask = Bits.pack(np.ones((1, 3), np.bool_))
question = Question(1, 'x', np.ones(1, np.uint64), np.ones(1, np.bool_), mask, mask)
mask.unpack()
agent = open_agent({name!r})
agent.begin(info, ('x',), 1)
assert 0 <= agent.choose(question).action[0] < 3
print(*(name for name in ('numba', 'torch', 'matplotlib', 'lark') if name in sys.modules))
"""


@pytest.mark.parametrize('name', ['random', 'legal'])
def test_agent_needs_no_compiler(name: str) -> None:
    done = subprocess.run(
        [sys.executable, '-c', CODE.format(name=name)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []
