"""Segments of shared memory: those of nodes that are gone are removed, and no others."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
import time

from gdl_env.ros.transport.shared_memory import remove_abandoned_segments


def make_segment(folder: Path, number: int, age: float = 60.0) -> Path:
    segment = folder / f'fastrtps_{number:016x}'
    segment.write_bytes(b'data')
    lock = segment.with_name(f'{segment.name}_el')
    lock.touch()
    os.utime(lock, (time.time() - age, time.time() - age))
    return lock


def test_segments_of_the_dead_are_removed(tmp_path: Path) -> None:
    make_segment(tmp_path, 1)
    held = make_segment(tmp_path, 2)
    make_segment(tmp_path, 3, age=0.0)
    others = tmp_path / 'fastrtps_port7411_el', tmp_path / 'of_others_el'
    for other in others:
        other.touch()
        os.utime(other, (0, 0))
    with held.open() as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        assert remove_abandoned_segments(tmp_path) == 1
    names = {path.name for path in tmp_path.iterdir()}
    assert not any('0001' in name for name in names)
    # One whose owner lives, and one that may be about to be locked.
    assert {f'fastrtps_{number:016x}{end}' for number in (2, 3) for end in ('', '_el')} < names
    assert {other.name for other in others} < names
    assert remove_abandoned_segments(tmp_path / 'nowhere') == 0
