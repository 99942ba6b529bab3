"""`gdl launch`: what it says, and real nodes under it."""

from __future__ import annotations

import os
from pathlib import Path
import re
import signal
import subprocess
import sys
import time

import pytest

from gdl_env.cli.main import main
from gdl_env.ros.match_table import MatchResult
from gdl_env.ros.topology import TOPOLOGIES


@pytest.mark.parametrize('name', TOPOLOGIES)
def test_arguments_are_shown(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['launch', f'{name}.launch.py', '--show-args']) == 0
    output = capsys.readouterr().out
    for argument in TOPOLOGIES[name].arguments:
        assert f'  {argument.name}  (default: {argument.default or "empty"})' in output


def test_description_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / 'lib' / 'gdl_env'
    folder.mkdir(parents=True)
    for name in ('env_node', 'match_node', 'odd_agent'):
        (folder / name).touch()
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    assert main(['launch', 'match', 'players:=odd:x y', 'lanes:=3', '--print-description']) == 0
    output = capsys.readouterr().out
    assert '/x_odd: odd_agent (started again if it fails)' in output
    assert "    detail: 'x y'" in output
    assert '    lanes: 3' in output


@pytest.mark.parametrize(
    ('words', 'message'),
    [
        (['mach'], 'did you mean match'),
        (['match', 'game'], 'name:=value'),
        (['match', 'a:=1'], 'a'),
    ],
)
def test_mistakes_are_told(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(['launch', *words]) == 1
    assert message in capsys.readouterr().err


def test_rclpy_is_not_imported() -> None:
    code = (
        'import sys; from gdl_env.cli.main import main; main(["launch", "match", "-s"]); '
        'import gdl_env.ros.supervisor; sys.exit(bool({"rclpy", "launch"} & set(sys.modules)))'
    )
    assert subprocess.run([sys.executable, '-c', code], stdout=subprocess.DEVNULL).returncode == 0


@pytest.mark.ros
@pytest.mark.timeout(120)
def test_match_goes_on_after_its_environment_was_killed(tmp_path: Path) -> None:
    pytest.importorskip('gdl_msgs', reason='gdl_msgs is not built')
    file = tmp_path / 'result.json'
    words = ('x:=random', 'o:=legal', 'episodes:=100', 'seed:=5', f'result_file:={file}')
    process = subprocess.Popen(
        [sys.executable, '-m', 'gdl_env.cli.main', 'launch', 'match', *words],
        # Away from other matches on this machine.
        env={**os.environ, 'ROS_DOMAIN_ID': str(1 + os.getpid() % 100)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    lines: list[str] = []
    try:
        for line in process.stdout:
            lines.append(line)
            if 'episodes were begun' in line and not any('failed' in old for old in lines):
                time.sleep(0.3)
                started = re.search(r'env_node started, process (\d+)', ''.join(lines))
                assert started is not None
                os.kill(int(started[1]), signal.SIGKILL)
        assert process.wait() == 0, ''.join(lines)
    finally:
        process.terminate()
        process.communicate()
    assert any('env_node failed with exit code 137' in line for line in lines)
    result = MatchResult.load(file)
    assert (result.is_success, result.episodes) == (True, 100)
    assert [role.episodes for role in result.roles] == [100, 100]
    assert result.roles[0].wins == result.roles[1].losses
