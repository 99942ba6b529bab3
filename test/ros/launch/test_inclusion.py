"""Launch files inside of others; where launch files and executables are found."""

from __future__ import annotations

from pathlib import Path
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from topologies import INSTALLED, nodes

from gdl_env.errors import GdlError
from gdl_env.ros.launch.arguments import parse_pairs
from gdl_env.ros.launch.executables import find_executable, list_executables
from gdl_env.ros.launch.launch_actions import find_inclusion
from gdl_env.ros.launch.node_spec import NodeSpec
from gdl_env.ros.launch.topology import TOPOLOGIES, Inclusion, find_topology


def included(*words: str) -> list[NodeSpec]:
    return TOPOLOGIES['match'].nodes(parse_pairs(words), INSTALLED, Inclusion())


def test_arguments_of_a_launch_file_around_ours_are_its_own() -> None:
    assert [node.name for node in included('robot:=ur5', 'o:=legal')][1:3] == [
        'x_random',
        'o_legal',
    ]
    # A place in the world, and not an agent.
    assert [node.name for node in included('x:=0.5', 'agents:=o=legal')][1:3] == [
        'x_random',
        'o_legal',
    ]
    with pytest.raises(GdlError, match="no argument 'robot'"):
        nodes('match', 'robot:=ur5')


def test_actors_find_the_policy_from_below_another_namespace() -> None:
    given = parse_pairs(['actors:=1', 'namespace:=learning'])
    found = TOPOLOGIES['selfplay'].nodes(given, INSTALLED, Inclusion('/robot'))
    (follow,) = {node.parameters['follow'] for node in found if 'follow' in node.parameters}
    assert follow == '/robot/learning/policy'


@pytest.mark.parametrize(
    ('command', 'is_included'),
    [
        ('ros2 launch gdl_env match.launch.py robot:=ur5', False),
        ('ros2 launch {file}', False),
        ('ros2 launch my_robot bringup.launch.py', True),
        ('ros2 launch my_robot match.launch.py', True),
    ],
)
def test_launch_file_knows_whether_another_includes_it(
    command: str, is_included: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = Path(__file__).parents[3] / 'launch' / 'match.launch.py'
    monkeypatch.setattr(sys, 'argv', command.format(file=file).split())
    context: Any = SimpleNamespace(
        get_locals_as_dict=lambda: {'current_launch_file_path': str(file)},
        launch_configurations={'ros_namespace': '/robot'},
    )
    assert find_inclusion(context) == (Inclusion('/robot') if is_included else None)


def test_launch_files_by_name_and_path() -> None:
    root = Path(__file__).parents[3]
    files = sorted(root.glob('launch/*.launch.py'))
    assert {path.name for path in files} == {f'{name}.launch.py' for name in TOPOLOGIES}
    for path in files:
        assert find_topology(str(path)) is find_topology(path.name)
    with pytest.raises(GdlError, match='did you mean match'):
        find_topology('mach')
    with pytest.raises(GdlError, match='no launch file'):
        find_topology('/elsewhere/match.launch.py')


def test_every_argument_explains_itself() -> None:
    for topology in TOPOLOGIES.values():
        names = [argument.name for argument in topology.arguments]
        assert len(names) == len(set(names))
        for argument in topology.arguments:
            assert argument.description.endswith('.')
            argument.read(argument.default)


def test_executables_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / 'lib' / 'gdl_env' / 'odd_agent'
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\n')
    program.chmod(0o755)
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    assert find_executable('odd_agent') == program
    assert 'odd_agent' in list_executables()
    with pytest.raises(GdlError, match='od_agent is not installed; did you mean odd_agent'):
        find_executable('od_agent')
