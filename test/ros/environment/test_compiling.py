"""A fresh install: the environment compiles before its first match, and says so."""

from __future__ import annotations

import os
from pathlib import Path
import signal
import subprocess
import sys
import time

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.slow]

# Compiling takes 40 s on an idle core: what ends sooner has not waited for it.
SOON = 20.0


def test_signal_ends_a_node_that_compiles(tmp_path: Path, own_domain: int) -> None:
    pytest.importorskip('gdl_msgs', reason='gdl_msgs is not built')
    caches = {name: str(tmp_path / name) for name in ('GDL_CACHE', 'NUMBA_CACHE_DIR')}
    log = tmp_path / 'log'
    with log.open('w') as stream:
        node = subprocess.Popen(
            [Path(sys.executable).parent / 'env_node'],
            env={**os.environ, **caches, 'ROS_DOMAIN_ID': str(own_domain)},
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
    try:
        while 'preparing the engine: after installation it compiles' not in log.read_text():
            assert node.poll() is None, log.read_text()
            time.sleep(0.1)
        node.send_signal(signal.SIGINT)
        assert node.wait(SOON) == 0, log.read_text()
        # It never played, and no exception is shown.
        assert len(log.read_text().splitlines()) == 1, log.read_text()
    finally:
        node.kill()
        node.wait()
