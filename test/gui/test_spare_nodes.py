"""Nodes that are started ahead: they become the node that a command would start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
import subprocess

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytestmark = pytest.mark.ros

from gdl_env.gui import spare_nodes  # noqa: E402
from gdl_env.gui.spare_nodes import SpareNodes  # noqa: E402
from gdl_env.ros.launch.executables import find_executable  # noqa: E402

SECONDS = 60.0


@pytest.fixture
def spares(
    tmp_path: Path, own_domain: int, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SpareNodes]:
    """Start one of each kind at once."""
    monkeypatch.setattr(spare_nodes, '_DRAWING', 0.0)
    made = SpareNodes(tmp_path, 1)
    made.refill()
    yield made
    made.close()


def test_a_spare_becomes_the_node_it_is_told_to_be(spares: SpareNodes) -> None:
    command = [str(find_executable('env_node')), '--ros-args', '-p', 'game:=no_such_game']
    process = spares.take(command)
    assert process is not None
    # There was one only, and the next is started later: a table comes first.
    assert spares.take(command) is None
    spares.refill()
    assert spares.take(command) is None
    output, _ = process.communicate(timeout=SECONDS)
    # It ends as that node ends, with its words.
    assert process.returncode == 78, output
    assert b'no_such_game' in output


def test_other_programs_are_started_as_ever(spares: SpareNodes) -> None:
    assert spares.take(['/bin/recorder_node', '--ros-args']) is None


def test_none_are_kept_where_none_are_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError('a process was started')

    monkeypatch.setattr(spare_nodes, '_DRAWING', 0.0)
    monkeypatch.setattr(subprocess, 'Popen', refuse)
    made = SpareNodes(tmp_path, 0)
    made.refill()
    made.close()
