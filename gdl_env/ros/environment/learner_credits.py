"""How far a match may be ahead of those who learn from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from std_msgs.msg import UInt64MultiArray

from gdl_env.environment.referee import Referee
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.transport.names import CREDIT
from gdl_env.ros.transport.publishers import UNKNOWN, list_publishers
from gdl_env.ros.transport.qos import credit_qos

# A learner that is there and takes in nothing for so long has lost what is on its way [s]. One
# that writes its state, or looks for a proof, is busy for less.
_PATIENCE = 20.0
# How often it is checked whether learners are still there [s].
_PERIOD = 0.5


class LearnerCredits:
    """Waits for learners that fall behind, so that the middleware drops nothing.

    A learner publishes up to which tick it has taken in the feedback of each role, cohort after
    cohort; without numbers it begins now. The match is ahead by a number of ticks at most. Once a
    learner has been there, the match waits for it also while it is away, and for the next one:
    what is played meanwhile would be lost.
    """

    def __init__(
        self,
        node: RosNode,
        referees: Sequence[Referee],
        lead: int,
        on_progress: Callable[[], None],
    ) -> None:
        """Allow a lead of some ticks; `on_progress` is called when there is new credit."""
        self._node = node
        self._referees = referees
        self._roles = referees[0].environment.roles
        self._lead = lead
        self._on_progress = on_progress
        # By the names of learners: ticks that were taken in, of all roles, cohort after cohort.
        self._taken: dict[str, list[int]] = {}
        # Since when a cohort waits without news of a learner; None: there is news, or none waits.
        self._stuck_since: float | None = None
        self._checked_at = monotonic()
        self._is_there = False
        # Lanes of ticks that learners did not take in.
        self.lost = 0
        self._subscription = node.create_subscription(
            UInt64MultiArray, CREDIT, self._on_credit, credit_qos()
        )

    def must_wait(self, referee: Referee) -> bool:
        """Tell whether a cohort is as far ahead as it may be."""
        if not self._is_ahead(referee):
            return False
        now = monotonic()
        if now - self._checked_at >= _PERIOD:
            self._checked_at = now
            self._look_for_learners()
        if self._stuck_since is None or not self._is_there:
            self._stuck_since = now
        if now - self._stuck_since > _PATIENCE:
            self._write_off()
        return self._is_ahead(referee)

    def describe_wait(self) -> str:
        """Return who is waited for, in words; '' for nobody."""
        if not any(map(self._is_ahead, self._referees)):
            return ''
        return 'waiting for the learner' + ('' if self._is_there else ', which is not there')

    def close(self) -> None:
        """Take the topic off the graph."""
        self._node.destroy_subscription(self._subscription)

    # ---- inside

    def _is_ahead(self, referee: Referee) -> bool:
        first = referee.cohort * len(self._roles)
        ticks = [referee.environment.tick_of(role) for role in self._roles]
        return any(
            tick - 1 - taken >= self._lead
            for found in self._taken.values()
            for tick, taken in zip(ticks, found[first:], strict=False)
        )

    def _on_credit(self, message: UInt64MultiArray) -> None:
        dimensions = message.layout.dim
        name = dimensions[0].label if dimensions else ''
        now = self._played()
        if len(message.data) not in {0, len(now)}:
            # Of a match before this one.
            return
        before = self._taken.get(name, now)
        if not message.data:
            # It begins, perhaps again: what was on its way to it before is lost.
            self._lose(before, now)
            self._taken[name] = now
        else:
            # Whoever counts further than this match means the one before.
            found = [min(taken, tick) for taken, tick in zip(message.data, now, strict=True)]
            self._taken[name] = [max(pair) for pair in zip(before, found, strict=True)]
            if before != self._taken[name]:
                self._stuck_since = None
        self._is_there = True
        self._on_progress()

    def _played(self) -> list[int]:
        """Return the last tick of every role, cohort after cohort."""
        return [
            referee.environment.tick_of(role) - 1
            for referee in self._referees
            for role in self._roles
        ]

    def _look_for_learners(self) -> None:
        """Forget those who have left, unless there is no other one."""
        found = set(list_publishers(self._node, self._subscription.topic_name).values())
        self._is_there = bool(found)
        if found and UNKNOWN not in found:
            self._taken = {name: it for name, it in self._taken.items() if name in found}

    def _write_off(self) -> None:
        """Give up what is on its way: a link was cut for longer than the middleware keeps it."""
        now = self._played()
        for name, taken in self._taken.items():
            self._lose(taken, now)
            self._taken[name] = now
        self._stuck_since = None

    def _lose(self, taken: Sequence[int], now: Sequence[int]) -> None:
        count = len(self._roles)
        for number, referee in enumerate(self._referees):
            # Roles learn from the same lanes: the one that is furthest behind counts.
            part = slice(number * count, (number + 1) * count)
            behind = max(tick - old for old, tick in zip(taken[part], now[part], strict=True))
            self.lost += max(0, behind) * referee.environment.game.lanes
