"""Compiled functions on disk."""

from __future__ import annotations

import os
from pathlib import Path
import subprocess
import sys

CALLED = """
from gdl_env.engine.compiling import compile_kernel


@compile_kernel()
def called():
    return {value}
"""
CALLER = """
from gdl_env.engine.compiling import compile_kernel

from called import called


@compile_kernel(nogil=True)
def caller():
    return called()


if __name__ == '__main__':
    print(caller(), sum(caller.stats.cache_hits.values()))
"""


def run(folder: Path) -> list[str]:
    environment = {**os.environ, 'NUMBA_CACHE_DIR': str(folder / 'cache')}
    command = [sys.executable, 'caller.py']
    done = subprocess.run(
        command, cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout.split()


def test_a_change_in_another_file_is_seen(tmp_path: Path) -> None:
    (tmp_path / 'caller.py').write_text(CALLER, 'utf-8')
    (tmp_path / 'called.py').write_text(CALLED.format(value=1), 'utf-8')
    assert run(tmp_path) == ['1', '0']
    assert run(tmp_path) == ['1', '1']
    (tmp_path / 'called.py').write_text(CALLED.format(value=2), 'utf-8')
    assert run(tmp_path) == ['2', '0']
