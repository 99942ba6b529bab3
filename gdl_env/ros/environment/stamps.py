"""When each tick began: the stamps of its messages."""

from __future__ import annotations

from time import time_ns
from typing import Any


class Stamps:
    """Gives all messages of a tick the same stamp: the time of the first of them.

    Where moves are hidden, each role has stamps of its own, as it has ticks of its own: when
    another role was asked, and so how often, must not be seen.
    """

    def __init__(self, clock: Any, *, is_shared: bool) -> None:
        self._clock = clock
        self._is_shared = is_shared
        # By role: the newest tick, and when it began.
        self._newest: dict[str, tuple[int, int]] = {}

    def stamp(self, role: str, tick: int) -> int:
        """Return the stamp of a role's tick [ns since 1970]."""
        key = '' if self._is_shared else role
        newest, time = self._newest.get(key, (-1, 0))
        if newest != tick:
            # A clock of ROS takes longer to read, and says the same unless time is simulated.
            is_simulated = self._clock.ros_time_is_active
            time = int(self._clock.now().nanoseconds) if is_simulated else time_ns()
            self._newest[key] = tick, time
        return time
