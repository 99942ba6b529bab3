"""Every command of the README works as it is printed."""

from __future__ import annotations

import os
from pathlib import Path
import re
import shlex
import signal
import subprocess
import sys
import urllib.request

from doc_blocks import ROOT, blocks
import pytest

README = ROOT / 'README.md'

# Sections whose commands install things: test_install.py and test_gdl_script.py run those.
INSTALL = (
    '## Install',
    '### On a fresh machine',
    '### With ROS',
    '### Without ROS',
    '## Test',
)
HEADLINE = '# gdl_env'
ADDRESS = re.compile(r'http://[\w.:]+')
VARIABLES = {**os.environ, 'PYTHONPATH': str(ROOT)}

COMMANDS = [
    line
    for block in blocks(README, 'bash')
    if block.section not in (*INSTALL, HEADLINE)
    for line in block.commands
]


def write_script(folder: Path) -> None:
    """Write what stands for the script of the checkout, on the environment that runs the test."""
    (folder / 'gdl').write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m gdl_env.cli.main "$@"\n', 'utf-8'
    )
    (folder / 'gdl').chmod(0o755)


def test_there_are_commands_to_test() -> None:
    assert any(line.startswith('./gdl check') for line in COMMANDS)
    assert any(line.startswith('swipl') for line in COMMANDS)


@pytest.mark.prolog
def test_commands(tmp_path: Path) -> None:
    """Run all commands in order, in a folder that holds the game of the README."""
    (game,) = blocks(README, 'gdl')
    (tmp_path / 'matches.gdl').write_text(game.text, 'utf-8')
    write_script(tmp_path)
    for line in COMMANDS:
        done = subprocess.run(
            line,
            shell=True,
            cwd=tmp_path,
            env=VARIABLES,
            # `play` asks for moves: always take one match.
            input='1\n' * 20,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, f'{line}\n{done.stdout}\n{done.stderr}'


@pytest.mark.prolog
def test_python_example(tmp_path: Path) -> None:
    (block,) = blocks(README, 'python')
    done = subprocess.run(
        [sys.executable, '-c', block.text], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "{'x': 100, 'o': 0}" in done.stdout


@pytest.mark.slow
@pytest.mark.ros
@pytest.mark.timeout(1800)
def test_the_three_commands_of_the_first_screen(tmp_path: Path, own_domain: int) -> None:
    """Play against tree search, train on the graph, open the board in a browser."""
    pytest.importorskip('gdl_msgs', reason='gdl_msgs is not built')
    pytest.importorskip('torch', reason='PyTorch is not installed')
    pytest.importorskip('nicegui', reason='NiceGUI is not installed')
    (block,) = [block for block in blocks(README, 'bash') if block.section == HEADLINE]
    play, selfplay, gui = block.commands
    write_script(tmp_path)
    variables = {**VARIABLES, 'ROS_DOMAIN_ID': str(own_domain)}

    def run(command: str, text: str) -> str:
        done = subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env=variables,
            input=text,
            capture_output=True,
            text=True,
            timeout=1200,
        )
        assert done.returncode == 0, f'{command}\n{done.stdout}\n{done.stderr}'
        return done.stdout

    # One column after the other: a full one is refused, and the next line is read.
    assert 'yellow' in run(play, ''.join(f'{column}\n' for column in range(1, 8)) * 20)
    run(selfplay, '')
    assert list(tmp_path.glob('runs/tictactoe/**/learning_curve.png'))

    with subprocess.Popen(
        shlex.split(gui),
        cwd=tmp_path,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        assert server.stdout is not None
        address = next((found[0] for line in server.stdout if (found := ADDRESS.search(line))), '')
        assert address, 'the page has no address'
        with urllib.request.urlopen(address, timeout=60) as page:
            assert page.status == 200
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=60)
