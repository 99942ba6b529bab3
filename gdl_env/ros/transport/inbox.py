"""Receives answers: by callback, by polling where agents are quick, filtered in a flood."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial
from time import monotonic
from typing import Any

from gdl_msgs.msg import Action

from gdl_env.environment.referee import Referee
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.timers import create_timer
from gdl_env.ros.transport.fast_take import NOTHING, FastTake
from gdl_env.ros.transport.names import action_topic
from gdl_env.ros.transport.passing_topics import create_passing_subscription
from gdl_env.ros.transport.qos import action_qos

# A flood: this number of answers that do not count, within the period [s].
_FLOOD = 300
_PERIOD = 0.1
# It is over when there are fewer in this time [s].
_CALM = 1.0
# Agents are quick if this number of answers in a row came within this time [s].
_QUICK_ANSWERS = 100
_QUICK = 0.002
# They are not any more if there is none for so long [s].
_SILENCE = 0.02
# Answers are filtered or polled in rounds [s]; the executor has its turn in between [s].
_ROUND = 0.003
_TURN = 0.0005
# Answers that may wait, of each role: those of a flood must not push out the right one.
_DEPTH = 1000


class ReceiveMode(Enum):
    """How answers are taken."""

    # A callback for every message: nothing is to be done until it comes.
    CALLBACK = 'callback'
    # Agents answer at once: to sleep and be woken up for every answer takes longer than they do.
    QUICK = 'quick'
    # The executor would do nothing else but call back.
    FLOOD = 'flood'


class Inbox:
    """The answers of all roles in all cohorts.

    Each is given to `on_answer`, with its place; that says whether it counted. Where agents are
    quick, and in a flood, the topics are taken away from the executor: compiled code polls for
    answers, and drops what does not count. The executor has its turn now and then, for everything
    else.
    """

    def __init__(
        self,
        node: RosNode,
        referees: Sequence[Referee],
        on_answer: Callable[[int, str, bytes], bool],
        *,
        busy_wait: bool,
    ) -> None:
        """Listen to the agents of every cohort; each has a referee."""
        self._node = node
        self._referees = referees
        self._on_answer = on_answer
        self._may_busy_wait = busy_wait
        self._roles = referees[0].environment.roles
        # Cohort and role of each subscription.
        self._places = [(number, role) for number in range(len(referees)) for role in self._roles]
        qos = action_qos()
        qos.depth = _DEPTH
        # Passing: the executor has to give them up while answers are taken without it.
        # Raw: what does not count is dropped by its first bytes, without reading the rest.
        self._subscriptions = {
            (cohort, role): create_passing_subscription(
                node,
                Action,
                action_topic(role, cohort),
                partial(self._on_message, cohort, role),
                qos,
                raw=True,
            )
            for cohort, role in self._places
        }
        self._fast_take: FastTake | None = None
        self._dropped = 0
        self._since = monotonic()
        self._mode = ReceiveMode.CALLBACK
        # When answers of each cohort were asked for, and how many came quickly since one did not.
        self._expected_at = [0.0] * len(referees)
        self._quick = 0
        self._timer = create_timer(node, _TURN, self._take)
        self._timer.cancel()

    @property
    def is_flooded(self) -> bool:
        """Tell whether more answers come than were asked for."""
        return self._mode is ReceiveMode.FLOOD

    @property
    def taken_away(self) -> tuple[Any, ...]:
        """Return the subscriptions that the executor must leave alone."""
        is_away = self._mode is not ReceiveMode.CALLBACK
        return tuple(self._subscriptions.values()) if is_away else ()

    @property
    def topics(self) -> dict[str, str]:
        """Return the full names of the topics of the first cohort, by role."""
        return {role: self._subscriptions[0, role].topic_name for role in self._roles}

    def count_publishers(self, role: str) -> int:
        """Return how many nodes could answer for a role in every cohort."""
        topics = [self._subscriptions[number, role] for number in range(len(self._referees))]
        return min(int(self._node.count_publishers(topic.topic_name)) for topic in topics)

    def expect(self, cohort: int) -> None:
        """Set which answers of a cohort are wanted; call it before the questions are published."""
        self._expected_at[cohort] = monotonic()
        if self._fast_take is not None:
            referee = self._referees[cohort]
            missing, environment = referee.missing, referee.environment
            for place, role in enumerate(self._roles, cohort * len(self._roles)):
                wanted = environment.tick_of(role) if role in missing else 0
                self._fast_take.wanted[place] = wanted

    def watch(self) -> None:
        """Count what was dropped, and check whether a flood begins or is over."""
        if self._fast_take is None or self._mode is ReceiveMode.CALLBACK:
            return
        found = self._fast_take.dropped.copy()
        self._fast_take.dropped -= found
        for (cohort, role), (late, foreign) in zip(self._places, found.tolist(), strict=True):
            self._referees[cohort].drop(role, late, foreign)
            self._dropped += late + foreign
        now = monotonic()
        if self._mode is ReceiveMode.QUICK:
            if self._dropped >= _FLOOD:
                self._mode = ReceiveMode.FLOOD
            self._dropped, self._since = 0, now
        elif now - self._since >= _CALM:
            if self._dropped < _FLOOD:
                self._stop()
            self._dropped, self._since = 0, now

    def close(self) -> None:
        """Take the topics off the graph."""
        self._stop()
        self._node.destroy_timer(self._timer)
        if self._fast_take is not None:
            self._fast_take.close()
        for subscription in self._subscriptions.values():
            self._node.destroy_subscription(subscription)

    def _on_message(self, cohort: int, role: str, data: bytes) -> None:
        expected_at = self._expected_at[cohort]
        if self._on_answer(cohort, role, data):
            self._note_time(monotonic() - expected_at)
            return
        self._dropped += 1
        if self._dropped >= _FLOOD:
            now = monotonic()
            if now - self._since < _PERIOD:
                self._start(ReceiveMode.FLOOD)
            self._dropped, self._since = 0, now

    def _note_time(self, seconds: float) -> None:
        """Record how long an answer took; start polling if agents are quick."""
        self._quick = self._quick + 1 if seconds < _QUICK else 0
        if self._quick >= _QUICK_ANSWERS and self._may_busy_wait:
            self._quick = 0
            self._start(ReceiveMode.QUICK)

    # ---- without the executor

    def _start(self, mode: ReceiveMode) -> None:
        executor = self._node.executor
        if executor is None or self._mode is not ReceiveMode.CALLBACK:
            return
        try:
            self._fast_take = self._fast_take or FastTake(list(self._subscriptions.values()))
        except OSError as error:
            # Nothing is lost but speed.
            self._node.get_logger().warning(
                f'answers are read by the slower method: {error}', once=True
            )
            return
        self._mode = mode
        for cohort in range(len(self._referees)):
            self.expect(cohort)
        executor.wake()
        self._timer.reset()

    def _stop(self) -> None:
        if self._mode is not ReceiveMode.CALLBACK:
            self._mode = ReceiveMode.CALLBACK
            self._timer.cancel()
            if self._node.executor is not None:
                self._node.executor.wake()

    def _take(self) -> None:
        """Take what counts, and a sample of what does not: the log names who floods."""
        now = monotonic()
        end = now + _ROUND
        while self._fast_take is not None and self._mode is not ReceiveMode.CALLBACK and now < end:
            kind, place, data = self._fast_take.run(is_quick=self._mode is ReceiveMode.QUICK)
            if kind != NOTHING:
                cohort, role = self._places[place]
                self._on_answer(cohort, role, data)
            now = monotonic()
        if self._mode is ReceiveMode.QUICK and now - max(self._expected_at) > _SILENCE:
            self._stop()
