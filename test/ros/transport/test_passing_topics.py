"""Topics that come and go while others do: the process of a node lives."""

from __future__ import annotations

from pathlib import Path
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(120)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')

STORM = Path(__file__).with_name('topic_storm.py')
SECONDS = 6


@pytest.mark.usefixtures('own_domain')
def test_topics_are_destroyed_in_a_storm() -> None:
    """With event callbacks the process ended in a segmentation fault, most times within 6 s."""
    # A session of its own, so that its storm ends with it, however it ends.
    process = subprocess.Popen(
        [sys.executable, STORM, str(SECONDS)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=90)
    finally:
        subprocess.run(['pkill', '-KILL', '-s', str(process.pid)], check=False)
    assert process.returncode == 0, output
    assert int(output) > 10
