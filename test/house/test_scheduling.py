"""A process of the test suite that crashes costs one test, not the run."""

from __future__ import annotations

from pathlib import Path
import subprocess
import sys

FOLDER = Path(__file__).parents[1]

CONFTEST = f"""
import sys

sys.path.insert(0, {str(FOLDER)!r})

from scheduling import CrashSafeScheduling, describe_end


def pytest_xdist_make_scheduler(config, log):
    return CrashSafeScheduling(config, log)


def pytest_testnodedown(node, error):
    if error:
        print(describe_end(node), file=sys.stderr)
"""

CRASHING = """
import os
from pathlib import Path

import pytest

# What was run before.
NOTE = Path(__file__).with_name('note')


def test_before(): pass


def test_crash(): os._exit(3)


@pytest.mark.flaky(reruns=2)
def test_crash_once():
    if not NOTE.exists():
        NOTE.touch()
        os.kill(os.getpid(), 9)


def test_after(): pass
"""


def test_the_crash_of_a_process_is_survived(tmp_path: Path) -> None:
    (tmp_path / 'conftest.py').write_text(CONFTEST)
    (tmp_path / 'test_crashing.py').write_text(CRASHING)
    # Files that a process has finished must not go to another: it would wait for their tests.
    for number in range(6):
        (tmp_path / f'test_{number}.py').write_text('def test_it(): pass\n')
    options = ['-n', '2', '--dist', 'loadfile', '-p', 'no:cacheprovider', '--no-header']
    result = subprocess.run(
        [sys.executable, '-m', 'pytest', *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert '1 failed, 9 passed, 1 rerun' in result.stdout
    assert 'FAILED test_crashing.py::test_crash - ' in result.stdout
    assert 'its process ended with exit code 3' in result.stderr
    assert 'its process ended by SIGKILL' in result.stderr
    assert result.returncode == 1
