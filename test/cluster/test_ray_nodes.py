"""Training on a Ray cluster of two machines, simulated by network namespaces."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import csv
from functools import partial
import os
from pathlib import Path
from secrets import token_hex
import shutil
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

pytest.importorskip('ray', reason='Ray is not installed (the extra `cluster`)')
pytest.importorskip('torch', reason='PyTorch is not installed')

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / 'benchmark'))

from slow_link import SlowLink, find_obstacle  # noqa: E402

OBSTACLE = find_obstacle()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.torch,
    pytest.mark.timeout(900),
    pytest.mark.skipif(bool(OBSTACLE), reason=f'no network namespaces here: {OBSTACLE}'),
]

BIN = Path(sys.executable).parent
PORT = 6399
DASHBOARD = '--include-dashboard=false'
# Ray runs whatever it is sent: who has no token is sent away.
ACCESS = {'RAY_AUTH_MODE': 'token', 'RAY_AUTH_TOKEN': token_hex(16)}
# By default workers give way to all other programs, which may be many where tests run.
ACCESS['RAY_worker_niceness'] = '0'
TRAIN = [
    *(str(BIN / 'gdl'), 'train', 'kuhn_poker', '--algorithm', 'mmd', '--actors', '2'),
    *('--lanes', '64', '--episodes', '40000', '--network', 'small', '--seed', '5'),
    *('--set', 'levels=0', '--set', 'snapshots=1', '--set', 'final_games=20'),
    *('--set', 'evaluation_games=20', '--set', 'log_every=500'),
]


@contextmanager
def ray_node(
    link: SlowLink, side: int, folder: Path, *options: str
) -> Iterator[subprocess.Popen[Any]]:
    """Start a node with one core on a side of the link; end it, and whatever it has started."""
    command = [
        *(str(BIN / 'ray'), 'start', '--block', '--num-cpus=1', '--disable-usage-stats'),
        '--object-store-memory=80000000',
        *(f'--node-ip-address={link.address(side)}', f'--temp-dir={folder}', *options),
    ]
    log = (folder / 'log').open('w')
    # A group of its own: Ray's processes are many.
    node = link.popen(side, command, stdout=log, stderr=log, env=ACCESS, start_new_session=True)
    try:
        yield node
    finally:
        node.terminate()
        try:
            node.wait(30)
        except subprocess.TimeoutExpired:
            node.kill()
            node.wait()
        log.close()


def find_workers(node: subprocess.Popen[Any]) -> list[int]:
    """Return the processes in the namespace of a node that have a job now."""
    place = Path(f'/proc/{node.pid}/ns/net').stat().st_ino
    found = []
    for path in Path('/proc').glob('[0-9]*'):
        try:
            title = (path / 'cmdline').read_bytes()
            if title.startswith(b'ray::run_job') and (path / 'ns/net').stat().st_ino == place:
                found.append(int(path.name))
        except OSError:
            continue
    return found


def read_rows(run: Path) -> list[dict[str, str]]:
    path = run / 'metrics.csv'
    return list(csv.DictReader(path.read_text().splitlines())) if path.exists() else []


def weights(run: Path) -> bytes:
    from gdl_agents.learning.levels.reward_levels import list_snapshots, strongest
    from gdl_agents.learning.mmd.model import MmdModel
    from gdl_agents.learning.training.run_folder import RunFolder

    model = MmdModel.load(strongest(list_snapshots(RunFolder.open(str(run)))).path)
    return b''.join(tensor.numpy().tobytes() for tensor in model.weights.values())


def test_two_nodes_train_and_a_killed_worker_changes_nothing(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    alone = subprocess.run(
        [*TRAIN, '--name', 'alone', '--runs', str(tmp_path)], capture_output=True, text=True
    )
    assert alone.returncode == 0, alone.stderr
    # Paths of sockets are limited to 107 characters.
    folders = [Path(f'/tmp/gdl_ray_{os.getpid()}_{side}') for side in 'ab']
    for folder in folders:
        folder.mkdir()
        request.addfinalizer(partial(shutil.rmtree, folder, ignore_errors=True))
    run = tmp_path / 'kuhn_poker' / 'cluster'
    with SlowLink(delay=0.002) as link:
        head = ray_node(link, 0, folders[0], '--head', f'--port={PORT}', DASHBOARD)
        other = ray_node(link, 1, folders[1], f'--address={link.address(0)}:{PORT}')
        with head as first, other as second:
            address = f'{link.address(0)}:{PORT}'
            command = [*TRAIN, '--name', 'cluster', '--runs', str(tmp_path)]
            command += ['--on', 'ray', '--ray-address', address]
            training = link.popen(
                0, command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=ACCESS
            )
            killed: list[int] = []
            try:
                wait_for(lambda: len(read_rows(run)) >= 3, training)
                wait_for(lambda: bool(find_workers(first)), training)
                # Each node has one core, so both have a worker that plays.
                while not killed:
                    assert training.poll() is None
                    killed = find_workers(second)
                os.kill(killed[0], signal.SIGKILL)
                out, _ = training.communicate(timeout=400)
            finally:
                training.kill()
                training.wait()
            assert training.returncode == 0, out.decode()
    assert weights(run) == weights(tmp_path / 'kuhn_poker' / 'alone')
    assert float(read_rows(run)[-1]['repeated']) >= 1
    assert float(read_rows(run)[-1]['lag']) == 0


def wait_for(condition: Any, training: subprocess.Popen[Any], seconds: float = 400) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert training.poll() is None, training.communicate()[0].decode()
        assert time.monotonic() < end
        time.sleep(0.05)
