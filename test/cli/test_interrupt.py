"""Ctrl-C ends what is running at once, compiled code included."""

from __future__ import annotations

from collections.abc import Iterator
import os
from pathlib import Path
import signal
import subprocess
import sys
import time

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Never over: one game of so many steps is one call of compiled code, and takes an hour.
RING = """
(role a) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 0) (legal a go) (legal a stay)
(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
(<= terminal (true (at 9))) (<= (goal a 50) (true (at 1)))
"""
STEPS = 9_000_000_000

# Opening it takes as long as it is allowed to.
ALTERNATIVES = (
    '(role a) (init s) (p 1) (legal a go) (next s) (goal a 50)'
    + '(<= terminal {})'.format(' '.join(f'(or (p {n}) (true (q {n})))' for n in range(40)))
)

# Far less than what is interrupted would take, far more than ending does, on a busy machine too.
PROMPTLY = 10


@pytest.fixture
def start(tmp_path: Path) -> Iterator[object]:
    """Start Python programs in a folder with the two games, and end them in the end."""
    (tmp_path / 'ring.gdl').write_text(RING)
    (tmp_path / 'alternatives.gdl').write_text(ALTERNATIVES)
    started: list[subprocess.Popen[str]] = []

    def run(*arguments: object, **environment: str) -> subprocess.Popen[str]:
        known = os.environ | {'PYTHONPATH': str(ROOT), 'GDL_CACHE': str(tmp_path / 'cache')}
        process = subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env=known | environment,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


def processor_time(process: subprocess.Popen[str]) -> float:
    """Return how many seconds of processor time a process has had."""
    fields = Path(f'/proc/{process.pid}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def work_for(process: subprocess.Popen[str], seconds: float) -> None:
    """Wait until a process has worked for so long."""
    end = processor_time(process) + seconds
    while processor_time(process) < end:
        assert process.poll() is None
        time.sleep(0.05)


def interrupt(process: subprocess.Popen[str]) -> str:
    """Press ctrl-C; return what a process then says on standard error."""
    began = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert time.monotonic() - began < PROMPTLY
    return errors


def wait_until_open(folder: Path, process: subprocess.Popen[str]) -> None:
    """Wait until a game is open: that is when it is written to the cache."""
    while not list((folder / 'cache').glob('*.circuit')):
        assert process.poll() is None
        time.sleep(0.05)


needs_proc = pytest.mark.skipif(
    not Path('/proc/self/stat').exists(), reason='needs the processor time of a process in /proc'
)


@needs_proc
@pytest.mark.parametrize('native', ['', 'off'])
def test_playouts(start, tmp_path: Path, native: str):
    process = start(
        *('-m', 'gdl_env.cli.main', 'random', 'ring.gdl'),
        *('-n', 1, '--seed', 1, '--max-steps', STEPS),
        GDL_NATIVE=native,
    )
    wait_until_open(tmp_path, process)
    work_for(process, 2)
    assert interrupt(process) == 'gdl: stopped\n'
    assert process.returncode == 130


@needs_proc
def test_playouts_in_threads(start, tmp_path: Path):
    program = f"""
from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.language.load import open_game
try:
    list(CircuitEngine(open_game('ring.gdl')).play_batches(5000, 1, {STEPS}, threads=2))
except KeyboardInterrupt:
    print('stopped', file=__import__('sys').stderr)
"""
    process = start('-c', program)
    wait_until_open(tmp_path, process)
    work_for(process, 2)
    assert interrupt(process) == 'stopped\n'
    assert process.returncode == 0


@needs_proc
@pytest.mark.parametrize('verb', ['random', 'info'])
def test_opening_a_game(start, verb: str):
    process = start('-m', 'gdl_env.cli.main', verb, 'alternatives.gdl')
    work_for(process, 4)
    assert interrupt(process).endswith('gdl: stopped\n')
    assert process.returncode == 130


@pytest.mark.ros
def test_swap_that_finds_no_match_yet(start, own_domain: int):
    pytest.importorskip('gdl_msgs.srv', reason='gdl_msgs is not built')
    swap = start('-m', 'gdl_env.cli.main', 'swap', 'x', 'mcts', ROS_DOMAIN_ID=str(own_domain))
    # It looks for a match for ten seconds; by now its node is there.
    while 'dds' not in Path(f'/proc/{swap.pid}/maps').read_text():
        assert swap.poll() is None
        time.sleep(0.1)
    time.sleep(2)
    # Ctrl-C was never a problem; rclpy takes SIGTERM, too, and ends in an exception.
    swap.terminate()
    assert swap.communicate(timeout=PROMPTLY)[1] == ''
    assert swap.returncode == -signal.SIGTERM
