"""A node that waits for another one says so, instead of being silent."""

from __future__ import annotations

from collections.abc import Callable

from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.timers import create_timer

# Most nodes wait for a moment when all start together: that is not worth a line [s].
_FIRST = 3.0
# Then it is said again now and then, in periods of the same length.
_AGAIN = 10


class WaitingNotice:
    """Logs what a node waits for, after a while and then now and then, until it has it."""

    def __init__(self, node: RosNode, describe: Callable[[], str]) -> None:
        """Begin; `describe` returns what is waited for, '' for nothing."""
        self._node = node
        self._describe = describe
        self._last = ''
        self._count = 0
        create_timer(node, _FIRST, self._on_timer)

    def _on_timer(self) -> None:
        what = self._describe()
        if what != self._last:
            self._last, self._count = what, 0
        if what and self._count % _AGAIN == 0:
            self._node.get_logger().info(f'waiting for {what}')
        self._count += 1
