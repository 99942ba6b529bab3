"""Where answers come in: handed on as they come, looked out for, or sifted in a flood."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
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
# Agents are quick if so many answers in a row came within this time [s].
_QUICK_ANSWERS = 100
_QUICK = 0.002
# They are not any more if there is none for so long [s].
_SILENCE = 0.02
# Answers are sifted or looked out for in rounds; others have their turn in between [s].
_ROUND = 0.003
_TURN = 0.0005
# Answers that may wait, of each role: those of a flood must not push out the right one.
_DEPTH = 1000


class Manner(Enum):
    """How answers are taken."""

    # A callback for every message: nothing is to be done until it comes.
    CALLBACK = 'callback'
    # Agents answer at once: to sleep and be woken up for every answer takes longer than they do.
    QUICK = 'quick'
    # The executor would do nothing else but call back.
    FLOOD = 'flood'


class Inbox:
    """The answers of all roles.

    Each is given to `on_answer`, which says whether it counted. Where agents are quick, and in a
    flood, the topics are taken away from the executor: compiled code looks out for answers, and
    drops what does not count. The executor has its turn now and then, for everything else.
    """

    def __init__(
        self,
        node: Any,
        referee: Referee,
        on_answer: Callable[[str, bytes], bool],
        *,
        lookout: bool,
    ) -> None:
        self._node = node
        self._referee = referee
        self._on_answer = on_answer
        self._may_look_out = lookout
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
        self._manner = Manner.CALLBACK
        # When answers were asked for, and how many came quickly since one did not.
        self._expected_at = 0.0
        self._quick = 0
        self._timer = node.create_timer(_TURN, self._take)
        self._timer.cancel()

    @property
    def is_flooded(self) -> bool:
        """Tell whether there are more answers than anybody asked for."""
        return self._manner is Manner.FLOOD

    @property
    def taken_away(self) -> tuple[Any, ...]:
        """Return the subscriptions that the executor must leave alone."""
        is_away = self._manner is not Manner.CALLBACK
        return tuple(self._subscriptions.values()) if is_away else ()

    def count_publishers(self, role: str) -> int:
        """Return how many could answer for a role."""
        return int(self._node.count_publishers(self._subscriptions[role].topic_name))

    def expect(self) -> None:
        """Note which answers are wanted; to be called before they are asked for."""
        self._expected_at = monotonic()
        if self._drain is not None:
            missing, environment = self._referee.missing, self._referee.environment
            for place, role in enumerate(self._roles):
                wanted = environment.tick_of(role) if role in missing else 0
                self._drain.wanted[place] = wanted

    def watch(self) -> None:
        """Count what was dropped, and see whether a flood begins or is over; now and then."""
        if self._drain is None or self._manner is Manner.CALLBACK:
            return
        found = self._drain.dropped.copy()
        self._drain.dropped -= found
        for role, (late, foreign) in zip(self._roles, found.tolist(), strict=True):
            self._referee.drop(role, late, foreign)
            self._dropped += late + foreign
        now = monotonic()
        if self._manner is Manner.QUICK:
            if self._dropped >= _FLOOD:
                self._manner = Manner.FLOOD
            self._dropped, self._since = 0, now
        elif now - self._since >= _CALM:
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
        expected_at = self._expected_at
        if self._on_answer(role, data):
            self._note_time(monotonic() - expected_at)
            return
        self._dropped += 1
        if self._dropped >= _FLOOD:
            now = monotonic()
            if now - self._since < _PERIOD:
                self._start(Manner.FLOOD)
            self._dropped, self._since = 0, now

    def _note_time(self, seconds: float) -> None:
        """Note how long an answer took, and what came of it."""
        self._quick = self._quick + 1 if seconds < _QUICK else 0
        if self._quick >= _QUICK_ANSWERS and self._may_look_out:
            self._quick = 0
            self._start(Manner.QUICK)

    # ---- without the executor

    def _start(self, manner: Manner) -> None:
        executor = self._node.executor
        if executor is None or self._manner is not Manner.CALLBACK:
            return
        try:
            self._drain = self._drain or Drain(list(self._subscriptions.values()))
        except OSError as error:
            # Nothing is lost but speed.
            self._node.get_logger().warning(f'answers are taken slowly: {error}', once=True)
            return
        self._manner = manner
        self.expect()
        executor.wake()
        self._timer.reset()

    def _stop(self) -> None:
        if self._manner is not Manner.CALLBACK:
            self._manner = Manner.CALLBACK
            self._timer.cancel()
            if self._node.executor is not None:
                self._node.executor.wake()

    def _take(self) -> None:
        """Take in what counts, and a sample of what does not: people are told who floods."""
        now = monotonic()
        end = now + _ROUND
        while self._drain is not None and self._manner is not Manner.CALLBACK and now < end:
            kind, place, data = self._drain.run(is_quick=self._manner is Manner.QUICK)
            if kind != NOTHING:
                self._on_answer(self._roles[place], data)
            now = monotonic()
        if self._manner is Manner.QUICK and now - self._expected_at > _SILENCE:
            self._stop()
