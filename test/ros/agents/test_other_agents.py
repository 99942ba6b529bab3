"""Agents of other packages and of one's own file, as real nodes; and those of doc/agents.md."""

from __future__ import annotations

from collections.abc import Callable
import os
from pathlib import Path
import re
import shlex
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(280)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from domains import free_domain  # noqa: E402

from gdl_env.ros.match.table import MatchResult  # noqa: E402

MakePackage = Callable[..., Path]

DOC = Path(__file__).parents[3] / 'doc' / 'agents.md'
SECTION = '## Your own in ten lines'

CODE = """
from gdl_agents.players.legal import LegalAgent

class Second(LegalAgent):
    def __init__(self, detail=''):
        print('made with detail', repr(detail), flush=True)
"""


def run_gdl(*words: str, cwd: Path, site: Path | None = None) -> str:
    """Return the output of a command that must succeed, run in a domain of its own."""
    path = os.pathsep.join(filter(None, [str(site or ''), os.environ.get('PYTHONPATH')]))
    with free_domain() as domain:
        done = subprocess.run(
            [sys.executable, '-m', 'gdl_env.cli.main', *words],
            cwd=cwd,
            env={**os.environ, 'PYTHONPATH': path, 'ROS_DOMAIN_ID': str(domain)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=250,
        )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_launch_of_a_second_package_and_a_file(make_package: MakePackage, tmp_path: Path) -> None:
    site = make_package('second_launched', {'second': 'second_launched:Second'}, CODE)
    (tmp_path / 'own.py').write_text(CODE)
    words = ('x:=second:quick one', 'o:=own.py:Second', 'episodes:=3', 'result_file:=result.json')
    output = run_gdl('launch', 'match.launch.py', *words, cwd=tmp_path, site=site)
    assert "[x_second] made with detail 'quick one'" in output
    assert "[o_Second] made with detail ''" in output
    result = MatchResult.load(tmp_path / 'result.json')
    assert (result.is_success, result.episodes) == (True, 3)
    assert [(role.agent, role.strikes) for role in result.roles] == [
        ('/x_second', 0),
        ('/o_Second', 0),
    ]
    # The first legal move against the first legal move: x is first.
    assert result.roles[0].wins == 3


def test_own_agent_of_the_documentation_works_as_printed(tmp_path: Path) -> None:
    text = DOC.read_text('utf-8').partition(SECTION)[2].partition('\n### ')[0]
    code, python = re.findall(r'^```python\n(.*?)^```$', text, re.MULTILINE | re.DOTALL)
    lines = [line for line in code.splitlines() if line and not line.startswith('#')]
    assert len(lines) <= 10, 'as the heading promises'
    (tmp_path / code.split()[1]).write_text(code)
    done = subprocess.run([sys.executable, '-c', python], cwd=tmp_path, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    commands = re.findall(r'^gdl (.*)$', text, re.MULTILINE)
    assert [command.split()[0] for command in commands] == ['eval', 'launch']
    for command in commands:
        output = run_gdl(*shlex.split(command), cwd=tmp_path)
        assert 'LastMove' in output
    assert re.search(r'x +x_LastMove +\d+ +\d+ +\d+ +\S+ +0$', output, re.MULTILINE), output
