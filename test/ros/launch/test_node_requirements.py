"""What nodes import is looked for before any of them is started."""

from __future__ import annotations

from collections.abc import Callable
import configparser
from pathlib import Path
import subprocess
import sys
import venv

import pytest

from gdl_env.requirements import OF_EXECUTABLES
from gdl_env.ros.launch.arguments import LaunchError
from gdl_env.ros.launch.executables import find_executable
from gdl_env.ros.launch.node_requirements import require_nodes
from gdl_env.ros.launch.node_spec import NodeSpec

Run = Callable[..., subprocess.CompletedProcess[str]]

ROOT = Path(__file__).parents[3]
LEARN = "pip install '.[learn]' (in the checkout)"
GUI = "pip install '.[gui]' (in the checkout)"
ROS = 'source a ROS 2 workspace that has them, or install them as README.md says under'

CASES = [
    ('launch selfplay', 'torch', f'learner_node and evaluator_node need PyTorch: {LEARN}'),
    ('launch selfplay evaluate:=0', 'torch', f'learner_node needs PyTorch: {LEARN}'),
    ('selfplay', 'torch', f'learner_node and evaluator_node need PyTorch: {LEARN}'),
    ('launch match x:=rainbow:run', 'torch', f"agent 'rainbow' needs PyTorch: {LEARN}"),
    (
        'launch tournament agents:=random,alphazero:run',
        'torch',
        f"agent 'alphazero' needs PyTorch: {LEARN}",
    ),
    ('launch match gui:=true', 'nicegui', f'gui_node needs NiceGUI: {GUI}'),
    ('gui tictactoe', 'nicegui', f'gui_node needs NiceGUI: {GUI}'),
    ('launch match record:=true', 'mcap', 'recorder_node needs mcap: pip install mcap'),
    (
        'launch human opponent:=legal',
        'gdl_msgs',
        f'env_node, agent_node and match_node need gdl_msgs: {ROS} "Without ROS"',
    ),
    (
        'launch selfplay evaluate:=0',
        'rclpy gdl_msgs torch',
        f'env_node, learner_node and match_node need rclpy and gdl_msgs: {ROS} "Without ROS"; '
        f'learner_node needs PyTorch: {LEARN}',
    ),
]


@pytest.mark.ros
@pytest.mark.parametrize(
    ('words', 'hidden', 'sentence'),
    [
        CASES[0],
        *(pytest.param(*case, marks=pytest.mark.slow) for case in CASES[1:-1]),
        CASES[-1],
    ],
)
def test_launch_names_what_is_missing_and_starts_nothing(
    words: str, hidden: str, sentence: str, run_without: Run
) -> None:
    pytest.importorskip('gdl_msgs', reason='gdl_msgs is not built')
    done = run_without(hidden, '-m', 'gdl_env.cli.main', *words.split())
    assert (done.returncode, done.stdout, done.stderr) == (1, '', f'gdl: {sentence}\n')


@pytest.mark.ros
@pytest.mark.parametrize('name', ['learner_node', 'evaluator_node'])
def test_node_started_by_hand_names_what_is_missing(name: str, run_without: Run) -> None:
    pytest.importorskip('gdl_msgs', reason='gdl_msgs is not built')
    code = f'import sys; from gdl_agents.ros.executables import {name}; sys.exit({name}())'
    done = run_without('torch', '-c', code)
    assert (done.returncode, done.stderr) == (1, f'{name} needs PyTorch: {LEARN}\n')


@pytest.mark.ros
@pytest.mark.parametrize('words', [['rainbow_agent'], ['agent_node', '-p', 'agent:=rainbow']])
def test_agent_started_by_hand_names_what_is_missing(words: list[str], run_without: Run) -> None:
    pytest.importorskip('gdl_msgs', reason='gdl_msgs is not built')
    name, *arguments = words
    program = str(find_executable(name))
    # The program may be a script of the shell: it is run, not read by Python.
    start = 'import os, sys; os.execv(sys.argv[1], sys.argv[1:])'
    done = run_without('torch', '-c', start, program, '--ros-args', *arguments)
    assert (done.returncode, done.stderr) == (1, f"agent 'rainbow' needs PyTorch: {LEARN}\n")


@pytest.mark.ros
def test_nodes_that_are_not_in_the_table_need_nothing_of_it(run_without: Run) -> None:
    pytest.importorskip('gdl_msgs', reason='gdl_msgs is not built')
    config = configparser.ConfigParser()
    config.read(ROOT / 'setup.cfg', encoding='utf-8')
    lines = config['options.entry_points']['console_scripts'].strip().splitlines()
    entries = dict(line.replace(' ', '').split('=') for line in lines)
    assert entries.keys() >= OF_EXECUTABLES.keys()
    modules = {
        place.split(':')[0] for name, place in entries.items() if name not in OF_EXECUTABLES
    }
    hidden = {package.module for packages in OF_EXECUTABLES.values() for package in packages}
    done = run_without(' '.join(hidden), '-c', f'import {", ".join(sorted(modules))}')
    assert done.returncode == 0, done.stderr


class Workspace:
    """A Python of its own, with packages in which there is nothing, and programs that it runs."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, symlinks=True)
        self.folder = folder
        self.python = folder / 'bin' / 'python3'

    def add_packages(self, *names: str) -> None:
        (library,) = self.folder.glob('lib/python*/site-packages')
        for name in names:
            (library / name).mkdir()
            (library / name / '__init__.py').touch()

    def add_program(self, head: str) -> NodeSpec:
        (self.folder / 'learner_node').write_text(f'{head}\n')
        return NodeSpec('learner_node', 'learner_node')

    def resolve(self, name: str) -> Path:
        return self.folder / name


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.delenv('PYTHONPATH', raising=False)
    return Workspace(tmp_path / 'work space')


HEADS = [
    '#!{python}',
    '#! {python} -s',
    "#!/bin/sh\n'''exec' \"{python}\" \"$0\" \"$@\"\n' '''",
]


@pytest.mark.parametrize('head', HEADS)
def test_python_of_the_program_is_asked(
    head: str, tmp_path: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first line of a script cannot name a path with blanks.
    link = tmp_path / 'link'
    link.symlink_to(workspace.folder)
    node = workspace.add_program(head.format(python=link / 'bin' / 'python3'))
    workspace.add_packages('rclpy', 'gdl_msgs')
    with pytest.raises(LaunchError, match=r'^learner_node needs PyTorch: pip install'):
        require_nodes([node], workspace.resolve)
    workspace.add_packages('torch')
    # What this Python has does not matter.
    monkeypatch.setitem(sys.modules, 'torch', None)
    require_nodes([node], workspace.resolve)


def test_python_found_by_env_is_asked(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('PATH', str(workspace.python.parent))
    node = workspace.add_program('#!/usr/bin/env python3')
    with pytest.raises(LaunchError, match=r'needs rclpy and gdl_msgs: .*; learner_node needs PyT'):
        require_nodes([node], workspace.resolve)


@pytest.mark.parametrize('head', ['#!/bin/sh', '\x7fELF', '#!/nowhere/bin/python3'])
def test_program_without_a_python_is_not_judged(head: str, workspace: Workspace) -> None:
    require_nodes([workspace.add_program(head)], workspace.resolve)


def test_broken_python_is_named(workspace: Workspace, tmp_path: Path) -> None:
    fake = tmp_path / 'fake_python'
    fake.write_text('#!/bin/sh\necho no encodings >&2\nexit 1\n')
    fake.chmod(0o755)
    node = workspace.add_program(f'#!{fake}')
    with pytest.raises(LaunchError, match='fake_python cannot run nodes: no encodings'):
        require_nodes([node], workspace.resolve)
