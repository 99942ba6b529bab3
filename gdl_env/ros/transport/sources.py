"""Who publishes on a topic: what only one node may say is not taken from two.

Without ROS 2 security any program on the network can publish on any topic. A node cannot know
which of two publishers sent a message, but it can see that there are two. It keeps what it has
learned from the first, and its log names both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gdl_msgs.msg import GameInfo

from gdl_env.errors import GdlError
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.timers import create_timer
from gdl_env.ros.transport.messages import from_game_info
from gdl_env.ros.transport.passing_topics import create_passing_subscription
from gdl_env.ros.transport.publishers import UNKNOWN, list_publishers
from gdl_env.ros.transport.qos import info_qos
from gdl_env.ros.transport.texts import one_line

# How often it is checked whether one node is left [s].
_PERIOD = 0.5


def find_rivals(node: RosNode, topic: str, *, is_lenient: bool = False) -> str:
    """Return, in words, which nodes publish on a topic that belongs to one; '' if one does.

    A node that was killed and started again is one: its old publisher is seen for some seconds.
    The name of a new one is known a moment after its first message; until then it is taken for
    another node, unless the check is lenient.
    """
    names = set(list_publishers(node, topic).values())
    if is_lenient:
        names.discard(UNKNOWN)
    return '' if len(names) < 2 else f'{topic} is published by {_join(names)}'


def name_nodes(publishers: dict[bytes, str], sources: dict[bytes, str]) -> set[str]:
    """Return the nodes that publish now, and those that did before, if one of them still does.

    Started again, or with another match, it is the same node. A name that had not arrived by then
    may be known now; if it never was, it says nothing.
    """
    names = set(publishers.values())
    if publishers.keys() & sources.keys():
        gone = {name for source, name in sources.items() if source not in publishers}
        names |= gone - {UNKNOWN}
    return names


class InfoSubscription:
    """Takes `info` from one node, as long as it is there; refuses and names others.

    `on_info` is called with what was taken. Messages that describe no match are refused, too.
    """

    def __init__(self, node: RosNode, topic: str, on_info: Callable[[GameInfo], None]) -> None:
        self._node = node
        self._topic = topic
        self._on_info = on_info
        self._taken: GameInfo | None = None
        # Publishers that were there when it was taken.
        self._sources: dict[bytes, str] = {}
        # The name of the game that was refused last.
        self._refused = ''
        self._last_complaint = ''
        self._subscription = self._subscribe()
        # There while something is refused: every timer of a node costs at each event.
        self._timer: Any = None

    def close(self) -> None:
        """Listen no more."""
        self._stop_trying()
        self._node.destroy_subscription(self._subscription)

    def _stop_trying(self) -> None:
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None

    def _subscribe(self) -> Any:
        listen = guard(self._node, self._topic, self._on_message)
        return create_passing_subscription(self._node, GameInfo, self._topic, listen, info_qos())

    def _on_message(self, message: GameInfo) -> None:
        try:
            from_game_info(message)
        except GdlError as error:
            self._complain(one_line(str(error)))
            return
        publishers = list_publishers(self._node, self._topic)
        if message != self._taken and (names := self._find_nodes(publishers)):
            self._refused = one_line(message.name)
            self._complain_of(names)
            if self._timer is None:
                self._timer = create_timer(self._node, _PERIOD, self._try_again)
            return
        self._taken, self._sources = message, publishers
        self._on_info(message)

    def _find_nodes(self, publishers: dict[bytes, str]) -> set[str]:
        """Return which nodes publish, if that is more than the one that was there first."""
        names = name_nodes(publishers, self._sources)
        return names if len(names) > 1 else set()

    def _try_again(self) -> None:
        """Listen again once one node is left: what it has published comes again then."""
        publishers = list_publishers(self._node, self._topic)
        if names := self._find_nodes(publishers):
            # Their names may have arrived meanwhile.
            self._complain_of(names)
            return
        self._stop_trying()
        self._last_complaint = ''
        if publishers:
            self._node.destroy_subscription(self._subscription)
            self._subscription = self._subscribe()

    def _complain_of(self, names: set[str]) -> None:
        self._complain(
            f'a match of {self._refused} is refused, since {self._topic} is published by'
            f' {_join(names)}'
        )

    def _complain(self, reason: str) -> None:
        """Log an error, but not the same one again and again."""
        if reason != self._last_complaint:
            self._last_complaint = reason
            self._node.get_logger().error(reason)


def _join(names: set[str]) -> str:
    return one_line(' and '.join(sorted(names)))


def guard(node: RosNode, topic: str, callback: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return a callback that outlives whatever a message makes it raise; it is logged once."""

    def take(message: Any) -> None:
        try:
            callback(message)
        # A message may come from any program.
        except Exception as error:
            why = one_line(f'{type(error).__name__}: {error}')
            node.get_logger().error(
                f'a message on {topic} was dropped: {why}', throttle_duration_sec=2.0
            )

    return take
