"""The example of an agent in C++ builds as a package, and plays."""

from __future__ import annotations

import os
from pathlib import Path
import shutil
import subprocess
import sys

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / 'doc' / 'examples' / 'cpp_agent'
PAGE = ROOT / 'doc' / 'any_language.md'
PREFIXES = [sys.prefix, *filter(None, os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep))]


def test_the_page_shows_the_example() -> None:
    """Every line of C++ and JavaScript on the page is one of the examples."""
    page = PAGE.read_text('utf-8')
    for language, path in (
        ('cpp', SOURCE / 'first_move.cpp'),
        ('js', ROOT / 'doc' / 'examples' / 'first_move.js'),
    ):
        shown = page.split(f'```{language}\n')[1].split('```')[0]
        assert shown.strip('\n') in path.read_text('utf-8'), language


@pytest.mark.slow
@pytest.mark.ros
@pytest.mark.timeout(900)
def test_it_builds_and_plays(tmp_path: Path) -> None:
    pytest.importorskip('rclpy', reason='ROS 2 is not installed')
    if not any((Path(prefix) / 'share' / 'rclcpp' / 'cmake').is_dir() for prefix in PREFIXES):
        pytest.skip('rclcpp is not installed; ROS 2 from PyPI has none')
    if shutil.which('c++') is None or shutil.which('cmake') is None:
        pytest.skip('a C++ compiler and cmake are needed')
    build = tmp_path / 'build'
    prefixes = f'-DCMAKE_PREFIX_PATH={";".join(PREFIXES)}'
    for command in (
        ['cmake', '-S', str(SOURCE), '-B', str(build), prefixes],
        ['cmake', '--build', str(build)],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    sys.path.insert(0, str(ROOT / 'test' / 'ros'))
    from graph import Process, open_graph, role_of

    with open_graph(tmp_path) as graph:
        graph.environment(play_clock=60.0)
        graph.start('random_agent', role='o')
        words = ['--ros-args', '-r', f'__ns:={graph.namespace}', '-p', 'role:=x']
        environment = {**os.environ, 'ROS_DOMAIN_ID': str(graph.domain)}
        command = [str(build / 'first_move'), *words]
        graph.processes.append(Process(command, environment, tmp_path / 'cpp.log'))
        result = graph.play(5)
        x = role_of(result, 'x')
        assert (x.agent, x.strikes, x.foreign_answers) == ('/match/first_move', 0, 0)
