"""Every key of the parameter files is declared by its node, has its default, and is explained."""

from __future__ import annotations

from pathlib import Path
import re
from types import SimpleNamespace
from typing import Any

import pytest

from gdl_env.ros.launch.parameter_files import load

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
env_parameters = pytest.importorskip('gdl_env.ros.environment.parameters')
match_parameters = pytest.importorskip('gdl_env.ros.match.parameters')
agent_parameters = pytest.importorskip('gdl_agents.ros.agent_parameters')
learner_parameters = pytest.importorskip('gdl_agents.ros.learner_parameters')

pytestmark = pytest.mark.ros

FILES = sorted((Path(__file__).parents[2] / 'config').glob('*.yaml'))


def of_agents() -> dict[str, Any]:
    """Return what an agent's node declares, with defaults."""
    found: dict[str, Any] = {}

    def declare_parameter(name: str, default: Any, *_: Any) -> SimpleNamespace:
        found[name] = default
        return SimpleNamespace(value=default)

    agent_parameters.AgentParameters.declare(SimpleNamespace(declare_parameter=declare_parameter))
    return found


def defaults(parameters: Any) -> dict[str, Any]:
    return {name: parameter.default for name, parameter in parameters.items()}


DECLARED = {
    '/**/env_node': defaults(env_parameters.PARAMETERS),
    '/**/match_node': defaults(match_parameters.MATCH),
    '/**/tournament_node': defaults(match_parameters.TOURNAMENT),
    '/**/learner_node': defaults(learner_parameters.LEARNER),
    '/**/evaluator_node': defaults(learner_parameters.EVALUATOR),
    '/**': of_agents(),
}


def test_there_are_files() -> None:
    assert {path.name for path in FILES} >= {'match.yaml', 'agents.yaml'}


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.name)
def test_keys_are_declared_with_these_defaults(path: Path) -> None:
    for node, values in load(path).items():
        for key, value in values.items():
            assert key in DECLARED[node], f'{node} declares no {key}'
            default = DECLARED[node][key]
            assert (type(value), value) == (type(default), default), f'{node}: {key}'


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.name)
def test_keys_are_explained(path: Path) -> None:
    lines = path.read_text('utf-8').splitlines()
    keys = [i for i, line in enumerate(lines) if re.match(r' {4}\w+:', line)]
    assert keys
    for i in keys:
        assert lines[i - 1].strip().startswith('#'), f'{path.name}: no comment above {lines[i]}'
        assert lines[i - 1].endswith('.'), f'{path.name}: no sentence above {lines[i]}'
