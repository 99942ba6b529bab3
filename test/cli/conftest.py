"""Run the command line, in this process and in one of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
import os
from pathlib import Path
import subprocess
import sys

import pytest

from gdl_env.cli.main import main

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def gdl(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `gdl` with arguments in this process."""

    def run(*arguments: object) -> Result:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return run


@pytest.fixture
def gdl_process(tmp_path: Path) -> Run:
    """Run `gdl` as a user does: in a process and a folder of its own."""

    def run(*arguments: object, stdin: str = '', **environment: str) -> Result:
        command = [sys.executable, '-m', 'gdl_env.cli.main', *map(str, arguments)]
        done = subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            cwd=tmp_path,
            env=os.environ | {'PYTHONPATH': str(ROOT)} | environment,
            check=False,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    return run
