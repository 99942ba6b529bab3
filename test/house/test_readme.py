"""Every command of the README works as it is printed."""

from __future__ import annotations

import os
from pathlib import Path
import re
import subprocess
import sys

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / 'README.md').read_text('utf-8')

# Sections whose commands install things: test_install.py and test_gdl_script.py run those.
INSTALL = ('## Install', '## Test')


def blocks(language: str) -> list[tuple[str, str]]:
    """Return the section and the text of each fenced block of a language."""
    section, found = '', []
    for match in re.finditer(
        r'^(## [^\n]*)$|^```(\w+)\n(.*?)^```$', README, re.MULTILINE | re.DOTALL
    ):
        if match[1]:
            section = match[1]
        elif match[2] == language:
            found.append((section, match[3]))
    return found


COMMANDS = [
    line
    for section, text in blocks('bash')
    if not section.startswith(INSTALL)
    for line in text.splitlines()
    if line.strip()
]


def test_there_are_commands_to_test() -> None:
    assert any(line.startswith('./gdl check') for line in COMMANDS)
    assert any(line.startswith('swipl') for line in COMMANDS)


@pytest.mark.prolog
def test_commands(tmp_path: Path) -> None:
    """Run all commands in order, in a folder that holds the game of the README."""
    (_, game), *_ = blocks('gdl')
    (tmp_path / 'matches.gdl').write_text(game, 'utf-8')
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
    ((_, code),) = blocks('python')
    done = subprocess.run(
        [sys.executable, '-c', code], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "{'x': 100, 'o': 0}" in done.stdout


def test_links_lead_somewhere() -> None:
    for target in re.findall(r'\]\((?!https?:)([^)#]+)', README):
        assert (ROOT / target).exists(), target
