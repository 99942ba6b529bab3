"""Removes what killed nodes leave in shared memory.

Fast DDS gives every node a segment of half a megabyte. One that is killed cannot remove its own,
and the next node makes another: nodes that crash now and then would fill the memory of the
machine. The owner of a segment holds a lock as long as it lives, which tells the rest apart.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
import re
import time

_FOLDER = Path('/dev/shm')
_LOCK = re.compile(r'(fastrtps|fastdds)_[0-9a-f]{16}_el')
# What is younger may be about to be locked [s].
_AGE = 10.0


def remove_abandoned_segments(folder: Path = _FOLDER) -> int:
    """Remove the segments of nodes that are gone; return how many there were."""
    try:
        locks = [path for path in folder.iterdir() if _LOCK.fullmatch(path.name)]
    except OSError:
        return 0
    return sum(map(_remove_abandoned, locks))


def _remove_abandoned(lock: Path) -> bool:
    try:
        descriptor = os.open(lock, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        # Of another user, or gone by now.
        return False
    try:
        if time.time() - os.fstat(descriptor).st_mtime < _AGE:
            return False
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        lock.with_name(lock.name.removesuffix('_el')).unlink(missing_ok=True)
        lock.unlink(missing_ok=True)
    except OSError:
        # Its owner lives.
        return False
    finally:
        os.close(descriptor)
    return True
