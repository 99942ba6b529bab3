"""Run the linters as tests, so that one command covers all."""

from pathlib import Path
import subprocess
import sys

import pytest

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent

COMMANDS = {
    'ruff check': ['ruff', 'check'],
    'ruff format': ['ruff', 'format', '--check'],
    'mypy': ['mypy'],
    'layers': ['lint-imports', '--no-cache'],
}


@pytest.mark.parametrize('command', COMMANDS.values(), ids=COMMANDS.keys())
def test_lint(command: list[str]) -> None:
    result = subprocess.run(
        [BIN / command[0], *command[1:]], cwd=ROOT, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize('script', ['gdl', '.ci/run', 'tools/bootstrap.bash'])
def test_shell_script(script: str) -> None:
    command = [BIN / 'shellcheck', '--shell=bash', '--external-sources', script]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def test_parts_of_nodes_name_what_they_need() -> None:
    # `Any` would hide a call that a node does not have: see `gdl_env/ros/node_protocol.py`.
    found = [
        f'{path.relative_to(ROOT)}:{number}'
        for package in ('gdl_env', 'gdl_agents')
        for path in sorted((ROOT / package).rglob('*.py'))
        for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1)
        if 'node: Any' in line
    ]
    assert not found
