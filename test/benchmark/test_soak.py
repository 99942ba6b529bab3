"""A short soak: every node is killed once, no game is lost."""

from __future__ import annotations

from pathlib import Path
import shutil
import socket
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.torch, pytest.mark.slow, pytest.mark.timeout(900)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('torch', reason='PyTorch is not installed')
pytest.importorskip('nicegui', reason='NiceGUI is not installed')

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / 'test' / 'ros'))


def find_port() -> int:
    with socket.socket() as place:
        place.bind(('127.0.0.1', 0))
        return int(place.getsockname()[1])


def test_every_node_is_killed_and_no_game_is_lost(tmp_path: Path) -> None:
    from graph import free_domain

    browsers = [] if shutil.which('chromedriver') else ['--no-browser']
    with free_domain() as domain:
        done = subprocess.run(
            [
                *(sys.executable, str(ROOT / 'benchmark' / 'soak.py'), '--no-comparison'),
                *('--minutes', '1.5', '--kill-every', '5', '--domain', str(domain)),
                *('--port', str(find_port()), '--folder', str(tmp_path), *browsers),
            ],
            capture_output=True,
            text=True,
            timeout=800,
        )
    log = tmp_path / 'soak' / 'launch.log'
    assert done.returncode == 0, done.stdout + done.stderr + log.read_text()[-5000:]
    assert 'Result: nothing was lost, and nothing grew.' in done.stdout
    assert done.stdout.count(' killed, back after ') >= 2
