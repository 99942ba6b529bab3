"""The launch files start what the topology says, wherever `launch_ros` is installed."""

from __future__ import annotations

import os
from pathlib import Path
import signal
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip('launch_ros', reason='launch_ros is not installed; it is not on PyPI')

from domains import free_domain
from launch.actions import DeclareLaunchArgument, OpaqueFunction, TimerAction
from launch.launch_description_sources import AnyLaunchDescriptionSource
from launch_ros.actions import Node
from launch_ros.utilities import evaluate_parameters
import yaml

from gdl_env.errors import GdlError
from gdl_env.ros.launch.arguments import parse_pairs
from gdl_env.ros.launch.node_spec import NodeSpec
from gdl_env.ros.launch.parameter_files import to_text
from gdl_env.ros.launch.topology import TOPOLOGIES
from launch import LaunchContext, LaunchDescription

FILES = Path(__file__).parents[3] / 'launch'

CASES = [
    ('match', ['journal:=/tmp/j']),
    ('match', ['x:=legal', 'o:=external:python3 -c "1: x"', 'journal:=off', 'namespace:=a/b']),
    ('match', ['record:=true', 'rviz:=true', 'log_level:=debug', 'journal:=off', 'lanes:=7']),
    ('match', ['x:=external:007', 'journal:=off', 'play_clock:=2']),
    ('selfplay', ['game:=connect_four']),
    ('human', ['role:=o', 'x:=legal', 'o:=random', 'journal:=off']),
    ('tournament', ['agents:=random legal', 'out:=/tmp/out']),
]


def describe(name: str) -> LaunchDescription:
    source = AnyLaunchDescriptionSource(str(FILES / f'{name}.launch.py'))
    return source.get_launch_description(LaunchContext())


def started(name: str, words: list[str]) -> tuple[list[Node], LaunchContext]:
    """Return the nodes that `ros2 launch` would start."""
    context = LaunchContext()
    context.launch_configurations.update(parse_pairs(words))
    found = []
    for entity in describe(name).entities:
        if isinstance(entity, DeclareLaunchArgument):
            entity.execute(context)
        elif isinstance(entity, OpaqueFunction):
            found += [action for action in entity.execute(context) if isinstance(action, Node)]
    return found, context


def private(node: Node, owner: str, name: str) -> Any:
    return getattr(node, f'_{owner}__{name}')


def facts_of_action(node: Node, context: LaunchContext) -> dict[str, Any]:
    node._perform_substitutions(context)
    parameters: dict[str, object] = {}
    for entry in evaluate_parameters(context, private(node, 'Node', 'parameters') or []):
        assert isinstance(entry, dict)
        parameters |= entry
    return {
        'package': node.node_package,
        'executable': node.node_executable,
        'name': node.node_name,
        'parameters': {k: list(v) if isinstance(v, tuple) else v for k, v in parameters.items()},
        'log_level': private(node, 'Node', 'ros_arguments')[1],
        # Our handler of exits restarts, and only what failed.
        'respawn': private(node, 'ExecuteLocal', 'respawn'),
        'again': respawn_delays(node),
    }


def respawn_delays(node: Node) -> dict[int, float | None]:
    """Return after what time a node is restarted, by the code it ended with."""
    found: dict[int, float | None] = {}
    for code in (0, 1, -signal.SIGKILL):
        on_exit = private(node, 'ExecuteLocal', 'on_exit')
        try:
            actions = on_exit(SimpleNamespace(returncode=code), LaunchContext()) or []
        except GdlError:
            actions = []
        timers = [action for action in actions if isinstance(action, TimerAction)]
        found[code] = timers[0].period if timers else None
    return found


def facts_of_spec(spec: NodeSpec) -> dict[str, Any]:
    delay = spec.respawn_delay if spec.respawn else None
    return {
        'package': 'gdl_env',
        'executable': spec.executable,
        'name': spec.full_name,
        # As the supervisor would write them.
        'parameters': yaml.safe_load(to_text('n', spec.parameters))['n']['ros__parameters'],
        'log_level': spec.log_level,
        'respawn': False,
        # A leader says by its code how all ended, unless it was killed.
        'again': {
            0: None,
            1: delay if not spec.is_leader else None,
            -signal.SIGKILL: delay,
        },
    }


@pytest.mark.parametrize(('name', 'words'), CASES)
def test_launch_file_starts_what_the_topology_says(name: str, words: list[str]) -> None:
    if name == 'selfplay':
        pytest.importorskip('torch', reason="pip install '.[learn]'")
    words = [*words, 'seed:=3']
    nodes, context = started(name, words)
    wanted = TOPOLOGIES[name].nodes(parse_pairs(words))
    found = [facts_of_action(node, context) for node in nodes]
    expected = list(map(facts_of_spec, wanted))
    for facts in (*found, *expected):
        # Another one for each recording.
        facts['parameters'].pop('session', None)  # type: ignore[attr-defined]
    assert found == expected


@pytest.mark.parametrize('name', TOPOLOGIES)
def test_launch_file_declares_every_argument(name: str) -> None:
    declared = {
        argument.name: (argument.default_value[0].text if argument.default_value else '')
        for argument in describe(name).get_launch_arguments()
    }
    assert declared == {a.name: a.default for a in TOPOLOGIES[name].arguments}


def test_launch_file_complains_before_it_starts_anything() -> None:
    with pytest.raises(GdlError, match='did you mean legal'):
        started('match', ['x:=legl'])


def test_launch_file_names_what_nodes_lack_before_it_starts_any(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, 'torch', None)
    with pytest.raises(GdlError, match=r'^learner_node and evaluator_node need PyTorch: pip'):
        started('selfplay', [])


def run_bring_up(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `launch` on a file with arguments of its own that includes ours."""
    file = folder / 'bring_up.launch.py'
    file.write_text(BRING_UP.replace('MATCH', str(FILES / 'match.launch.py')))
    with free_domain() as domain:
        return subprocess.run(
            [sys.executable, '-c', RUN, str(file), *words],
            env={**os.environ, 'ROS_DOMAIN_ID': str(domain)},
            capture_output=True,
            text=True,
            timeout=120,
        )


BRING_UP = """
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch_ros.actions import PushRosNamespace
def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument('robot', default_value='ur5'),
        DeclareLaunchArgument('x', default_value='0.5'),
        PushRosNamespace('cell'),
        IncludeLaunchDescription('MATCH', launch_arguments={
            'agents': 'x=legal o=random', 'episodes': '3', 'namespace': 'table'}.items()),
    ])
"""
RUN = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
service = LaunchService()
given = [word.split(':=') for word in sys.argv[2:]]
service.include_launch_description(
    LaunchDescription([IncludeLaunchDescription(sys.argv[1], launch_arguments=given)]))
sys.exit(service.run())
"""


def test_launch_files_can_be_included(tmp_path: Path) -> None:
    pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')
    done = run_bring_up(tmp_path, 'robot:=panda')
    assert done.returncode == 0, done.stdout + done.stderr
    assert '3 episodes' in done.stdout
    assert 'x_legal' in done.stdout
