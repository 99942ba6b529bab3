"""Parameters: files and page are made from the table, nodes declare it, and live ones are live."""

from __future__ import annotations

from pathlib import Path
import sys
from typing import TYPE_CHECKING, Any

import pytest

from gdl_env.ros.launch.parameter_files import load
from gdl_env.ros.parameters import NODES

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / 'tools'))

from parameter_pages import make_files  # noqa: E402

if TYPE_CHECKING:
    from graph import Graph

FILES = sorted((ROOT / 'config').glob('*.yaml'))


@pytest.mark.parametrize('path', make_files(), ids=lambda path: path.name)
def test_page_and_files_are_those_of_the_table(path: Path) -> None:
    text = path.read_text('utf-8')
    assert text == make_files()[path], 'run tools/parameter_pages.py'


def test_all_files_are_made_from_the_table() -> None:
    assert {path.name for path in FILES} == {path.name for path in make_files() if path in FILES}


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.name)
def test_keys_have_their_defaults(path: Path) -> None:
    for node, values in load(path).items():
        table = NODES['agent_node' if node == '/**' else node.rpartition('/')[2]]
        for key, value in values.items():
            default = table[key].value
            assert (type(value), value) == (type(default), default), f'{node}: {key}'


def test_every_parameter_has_a_meaning() -> None:
    for node, table in NODES.items():
        for name, parameter in table.items():
            assert parameter.description and not parameter.description.endswith('.'), (node, name)
            if parameter.choices:
                assert parameter.default in parameter.choices, (node, name)
            if parameter.low is not None and parameter.high is not None:
                assert isinstance(parameter.default, (int, float))
                assert parameter.low <= parameter.default <= parameter.high, (node, name)


@pytest.mark.ros
class TestOnTheGraph:
    """What `ros2 param` sees and does."""

    @pytest.fixture(autouse=True)
    def _ros(self) -> None:
        pytest.importorskip('rclpy', reason='ROS 2 is not installed')
        pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

    def test_file_applies_without_a_launch(self, graph: Graph, tmp_path: Path) -> None:
        file = tmp_path / 'my.yaml'
        text = (ROOT / 'config' / 'match.yaml').read_text('utf-8')
        file.write_text(text.replace('lanes: 1\n', 'lanes: 3\n'))
        graph.start('env_node', '--ros-args', '--params-file', str(file))
        assert get(graph, 'env_node', 'lanes').integer_value == 3
        assert get(graph, 'env_node', 'play_clock').double_value == 10.0

    def test_nodes_declare_the_table(self, graph: Graph, tmp_path: Path) -> None:
        from rcl_interfaces.srv import DescribeParameters

        graph.environment()
        graph.start('match_node')
        graph.start('recorder_node', folder=str(tmp_path / 'record'))
        graph.start('board_node')
        graph.start('agent_node', agent='random', role='x')
        for node in ('env_node', 'match_node', 'recorder_node', 'board_node', 'agent_node'):
            names = list(NODES[node])
            answer = graph.call(DescribeParameters, f'{node}/describe_parameters', names=names)
            for descriptor, name in zip(answer.descriptors, names, strict=True):
                parameter = NODES[node][name]
                assert descriptor.description == parameter.description, (node, name)
                assert descriptor.read_only is not parameter.is_live, (node, name)

    def test_clock_takes_effect_in_a_running_match(self, graph: Graph) -> None:
        graph.environment(play_clock=0.0, missing_clock=0.0, start_clock=0.1)
        goal = graph.ask(1)
        graph.status(lambda status: status.phase == status.PHASE_PLAYING)
        assert set_value(graph, 'env_node', 'play_clock', 0.05).successful
        # No agent is there: nothing but the clock moves.
        assert graph.result(goal).finished_episodes == 1

    def test_what_cannot_change_is_refused(self, graph: Graph) -> None:
        graph.environment()
        assert 'read-only' in set_value(graph, 'env_node', 'lanes', 2).reason
        assert not set_value(graph, 'env_node', 'play_clock', -1.0).successful
        assert get(graph, 'env_node', 'lanes').integer_value == 1

    def test_unknown_choice_is_named(self, graph: Graph) -> None:
        process = graph.start('env_node', illegal='perhaps')
        assert process.popen.wait(60) == 1
        assert 'illegal must be one of end, random, best' in process.output


def get(graph: Graph, node: str, name: str) -> Any:
    from rcl_interfaces.srv import GetParameters

    (value,) = graph.call(GetParameters, f'{node}/get_parameters', names=[name]).values
    return value


def set_value(graph: Graph, node: str, name: str, value: float) -> Any:
    from rcl_interfaces.srv import SetParameters
    from rclpy.parameter import Parameter

    parameter = Parameter(name, value=value).to_parameter_msg()
    (result,) = graph.call(SetParameters, f'{node}/set_parameters', parameters=[parameter]).results
    return result
