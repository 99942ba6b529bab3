"""Every command of the README works as it is printed."""

from __future__ import annotations

import os
from pathlib import Path
import subprocess
import sys

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

COMMANDS = [
    line
    for block in blocks(README, 'bash')
    if block.section not in (*INSTALL, HEADLINE)
    for line in block.commands
]


def test_there_are_commands_to_test() -> None:
    assert any(line.startswith('./gdl check') for line in COMMANDS)
    assert any(line.startswith('swipl') for line in COMMANDS)


@pytest.mark.prolog
def test_commands(tmp_path: Path) -> None:
    """Run all commands in order, in a folder that holds the game of the README."""
    (game,) = blocks(README, 'gdl')
    (tmp_path / 'matches.gdl').write_text(game.text, 'utf-8')
    # The script of the checkout, on the environment that runs this test.
    (tmp_path / 'gdl').write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m gdl_env.cli.main "$@"\n', 'utf-8'
    )
    (tmp_path / 'gdl').chmod(0o755)
    for line in COMMANDS:
        done = subprocess.run(
            line,
            shell=True,
            cwd=tmp_path,
            env={**os.environ, 'PYTHONPATH': str(ROOT)},
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
