"""How often a node may be restarted: so many times within a span of time, not for life."""

from __future__ import annotations

from collections import deque
import os

from gdl_env.ros.launch.node_spec import NodeSpec

# Exit codes above are 128 + signal, as shells count; Python has the negative number.
_SIGNAL = 128


class Restarts:
    """The restarts of one node that still count.

    A node that cannot even start fails many times in a short while, and is given up. One that
    crashes now and then in a long match is not.
    """

    def __init__(self, spec: NodeSpec) -> None:
        self._spec = spec
        self._times: deque[float] = deque()

    def allow(self, now: float, code: int) -> bool:
        """Tell whether a node that failed now [s] is restarted; if so, the restart is counted.

        A leader is restarted if it was killed: by its own exit code it says how all ended. A node
        that says that what it was given is wrong would only fail again.
        """
        was_killed = code < 0 or code > _SIGNAL
        if not self._spec.respawn or (self._spec.is_leader and not was_killed):
            return False
        if code == os.EX_CONFIG:
            return False
        while self._times and now - self._times[0] > self._spec.respawn_window:
            self._times.popleft()
        if 0 <= self._spec.max_respawns <= len(self._times):
            return False
        self._times.append(now)
        return True
