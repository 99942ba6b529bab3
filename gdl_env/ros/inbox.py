"""Where answers come in: handed on as they come or, while somebody floods a topic, sifted."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

from gdl_msgs.msg import Action

from gdl_env.environment.referee import Referee
from gdl_env.ros.draining import NOTHING, Drain
from gdl_env.ros.names import topic_part
from gdl_env.ros.qos import action_qos

# A flood is so many answers that do not count within the period [s].
_FLOOD = 300
_PERIOD = 0.1
# It is over when there are fewer in this time [s].
_CALM = 1.0
# In a flood answers are sifted for so long, and others have their turn in between [s].
_SIFTING = 0.003
_TURN = 0.0005
# Answers that may wait, of each role: those of a flood must not push out the right one.
_DEPTH = 1000


class Inbox:
    """The answers of all roles.

    Each is given to `on_answer`, which says whether it counted. A callback for every message is
    the quickest way as long as they are few. In a flood the executor would do nothing else, so the
    topics are taken away from it: compiled code drops what does not count, and waits for the rest.
    The executor has its turn now and then, for everything else.
    """

    def __init__(
        self,
        node: Any,
        referee: Referee,
        on_answer: Callable[[str, bytes], bool],
    ) -> None:
        self._node = node
        self._referee = referee
        self._on_answer = on_answer
        self._roles = referee.environment.roles
        qos = action_qos()
        qos.depth = _DEPTH
        # Raw: what does not count is dropped by its first bytes, without reading the rest.
        self._subscriptions = {
            role: node.create_subscription(
                Action,
                f'{topic_part(role)}/action',
                lambda data, role=role: self._on_message(role, data),
                qos,
                raw=True,
            )
            for role in self._roles
        }
        self._drain: Drain | None = None
        self._dropped = 0
        self._since = monotonic()
        self.is_flooded = False
        self._timer = node.create_timer(_TURN, self._sift)
        self._timer.cancel()

    @property
    def taken_away(self) -> tuple[Any, ...]:
        """Return the subscriptions that the executor must leave alone."""
        return tuple(self._subscriptions.values()) if self.is_flooded else ()

    def count_publishers(self, role: str) -> int:
        """Return how many could answer for a role."""
        return int(self._node.count_publishers(self._subscriptions[role].topic_name))

    def expect(self) -> None:
        """Note which answers are wanted; to be called before they are asked for."""
        if self._drain is not None:
            missing, environment = self._referee.missing, self._referee.environment
            for place, role in enumerate(self._roles):
                wanted = environment.tick_of(role) if role in missing else 0
                self._drain.wanted[place] = wanted

    def watch(self) -> None:
        """Count what was dropped, and see whether a flood is over; now and then."""
        if self._drain is None or not self.is_flooded:
            return
        found = self._drain.dropped.copy()
        self._drain.dropped -= found
        for role, (late, foreign) in zip(self._roles, found.tolist(), strict=True):
            self._referee.drop(role, late, foreign)
            self._dropped += late + foreign
        now = monotonic()
        if now - self._since >= _CALM:
            if self._dropped < _FLOOD:
                self._stop()
            self._dropped, self._since = 0, now

    def close(self) -> None:
        """Take the topics off the graph."""
        self._stop()
        self._node.destroy_timer(self._timer)
        if self._drain is not None:
            self._drain.close()
        for subscription in self._subscriptions.values():
            self._node.destroy_subscription(subscription)

    def _on_message(self, role: str, data: bytes) -> None:
        if self._on_answer(role, data):
            return
        self._dropped += 1
        if self._dropped >= _FLOOD:
            now = monotonic()
            if now - self._since < _PERIOD and not self.is_flooded:
                self._start()
            self._dropped, self._since = 0, now

    # ---- in a flood

    def _start(self) -> None:
        executor = self._node.executor
        try:
            self._drain = self._drain or Drain(list(self._subscriptions.values()))
        except OSError as error:
            # Nothing is lost but speed.
            self._node.get_logger().warning(f'a flood of answers: {error}', once=True)
            return
        if executor is not None:
            self.is_flooded = True
            self.expect()
            executor.wake()
            self._timer.reset()

    def _stop(self) -> None:
        if self.is_flooded:
            self.is_flooded = False
            self._timer.cancel()
            if self._node.executor is not None:
                self._node.executor.wake()

    def _sift(self) -> None:
        """Take in what counts, and a sample of what does not: people are told who floods."""
        end = monotonic() + _SIFTING
        while self._drain is not None and self.is_flooded and monotonic() < end:
            kind, place, data = self._drain.run()
            if kind != NOTHING:
                self._on_answer(self._roles[place], data)
