"""`gdl launch`: what it says, and real nodes under it."""

from __future__ import annotations

from collections.abc import Callable
import os
from pathlib import Path
import re
import signal
import subprocess
import sys
import time

import pytest

from gdl_env.cli.main import main
from gdl_env.ros.launch.topology import TOPOLOGIES
from gdl_env.ros.match.table import MatchResult

# Some seconds of tic-tac-toe in four lanes.
EPISODES = 900


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
    for name in ('env_node', 'match_node', 'agent_node'):
        (folder / name).touch()
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    words = ['players:=external:x y', 'lanes:=3', '--print-description']
    assert main(['launch', 'match', *words]) == 0
    output = capsys.readouterr().out
    assert '/x_external: agent_node (started again if it fails)' in output
    assert "    agent: 'external:x y'" in output
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
        'import gdl_env.ros.launch.supervisor; '
        'sys.exit(bool({"rclpy", "launch"} & set(sys.modules)))'
    )
    assert subprocess.run([sys.executable, '-c', code], stdout=subprocess.DEVNULL).returncode == 0


@pytest.mark.ros
@pytest.mark.timeout(120)
@pytest.mark.usefixtures('own_domain')
def test_match_goes_on_after_its_environment_was_killed(tmp_path: Path) -> None:
    pytest.importorskip('gdl_msgs', reason='gdl_msgs is not built')
    file = tmp_path / 'result.json'
    words = ('x:=random', 'o:=legal', 'episodes:=100', 'seed:=5', f'result_file:={file}')
    process = subprocess.Popen(
        [sys.executable, '-m', 'gdl_env.cli.main', 'launch', 'match', *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    lines: list[str] = []
    try:
        for line in process.stdout:
            lines.append(line)
            if 'the environment plays' in line and not any('failed' in old for old in lines):
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


@pytest.mark.ros
@pytest.mark.timeout(120)
@pytest.mark.usefixtures('own_domain')
def test_a_dead_end_at_the_start_ends_the_launch_at_once(tmp_path: Path) -> None:
    """It shows while the environment is set up, and would show again."""
    pytest.importorskip('gdl_msgs', reason='gdl_msgs is not built')
    rules = tmp_path / 'cellar.gdl'
    rules.write_text(
        '(role mole) (init (depth 1)) (<= (legal mole dig) (true (depth 1)))'
        '(<= (next (depth 2)) (does mole dig)) (<= terminal (true (depth 3))) (goal mole 0)'
    )
    done = subprocess.run(
        [sys.executable, '-m', 'gdl_env.cli.main', 'launch', 'match', f'game:={rules}'],
        capture_output=True,
        text=True,
    )
    output = done.stdout + done.stderr
    assert done.returncode == os.EX_CONFIG, output
    assert output.count('env_node started') == 1
    assert 'cellar: a dead end: no role has a move, but the game is not over' in output
    assert '1. mole: dig' in output
    assert 'Traceback' not in output


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until something is the case, or for so long."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)


@pytest.mark.ros
@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ('number', 'pause', 'code', 'words'),
    [
        (signal.SIGKILL, 0, 0, 'recorder_node failed with exit code 137; starting it again'),
        (signal.SIGSTOP, 0, 1, 'is incomplete'),
        # Longer than its lease: the middleware may not bring the two together again.
        pytest.param(signal.SIGSTOP, 8, 0, '', marks=pytest.mark.slow),
    ],
)
@pytest.mark.usefixtures('own_domain')
def test_exit_code_tells_whether_all_is_recorded(
    tmp_path: Path, number: signal.Signals, pause: int, code: int, words: str
) -> None:
    pytest.importorskip('gdl_msgs', reason='gdl_msgs is not built')
    params = tmp_path / 'params.yaml'
    # Long enough to be restarted where it is, and short where it will never come.
    seconds = 60.0 if code == 0 else 1.0
    params.write_text(f'/**/env_node:\n  ros__parameters:\n    record_clock: {seconds}\n')
    folder = tmp_path / 'record'
    recording = ('record:=true', f'record_to:={folder}', f'params:={params}')
    process = subprocess.Popen(
        [
            *(sys.executable, '-m', 'gdl_env.cli.main', 'launch', 'match'),
            *(f'episodes:={EPISODES}', 'lanes:=4', *recording),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    lines: list[str] = []
    try:
        for line in process.stdout:
            lines.append(line)
            started = re.findall(r'recorder_node started, process (\d+)', ''.join(lines))
            if 'the environment plays' in line:
                # Before that, the environment would wait for it.
                wait_for(lambda: any(path.stat().st_size for path in folder.glob('*.jsonl')))
                os.kill(int(started[0]), number)
                if pause:
                    time.sleep(pause)
                    os.kill(int(started[0]), signal.SIGCONT)
            if number is signal.SIGSTOP and not pause and 'stopping' in line:
                os.kill(int(started[0]), signal.SIGCONT)
        assert process.wait() == code, ''.join(lines)
    finally:
        process.terminate()
        process.communicate()
    text = ''.join(lines)
    assert words in text
    assert f'{EPISODES} episodes' in text
    if code == 0:
        games = sum(path.read_text().count('"type":"end"') for path in folder.glob('*.jsonl'))
        assert games == EPISODES, text
    else:
        assert f'the recording in {folder}' in text
