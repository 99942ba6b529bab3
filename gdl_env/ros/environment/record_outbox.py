"""What happened, on its way to recorders: kept until they have written it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
import secrets
from time import monotonic

from gdl_msgs.msg import Record, Recorded

from gdl_env.environment.trace import KEPT, UNCONFIRMED, TracedLine
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.transport.names import RECORD, RECORDED
from gdl_env.ros.transport.qos import record_qos, recorded_qos
from gdl_env.ros.transport.texts import one_line


@dataclass
class _Recorder:
    """What is known of one recorder."""

    # The last message that it has written or counted as missing.
    sequence: int = 0
    missing: int = 0
    games: int = 0
    problem: str = ''
    request: int = 0
    # What was missing and what was there when the match began.
    old_missing: int = 0
    old_games: int = 0

    def count_loss(self, first: int, last: int) -> int:
        """Return how many messages of a match it does not have: those after first, up to last."""
        return self.missing - self.old_missing + max(0, last - max(first, self.sequence))


class RecordOutbox:
    """Publishes every tick for recorders, in order, and knows what they have written.

    A recorder confirms what it has written; the match pauses while too much is unconfirmed, and
    does not end before all is. A recorder that makes no progress for the time of `patience` [s] is
    not waited for, and what it did not write is a loss. Programs that only listen, such as `ros2
    bag record`, confirm nothing: the match waits for them only if a recorder is required.
    """

    def __init__(
        self,
        node: RosNode,
        on_progress: Callable[[], None],
        *,
        patience: float,
        is_required: bool,
        is_resumed: bool,
    ) -> None:
        self._node = node
        self._log = node.get_logger()
        self._on_progress = on_progress
        self._patience = patience
        self._is_required = is_required
        self._is_resumed = is_resumed
        self._run = 1 + secrets.randbelow(2**63 - 1)
        self._sequence = self._first = 0
        self._games = self._first_games = 0
        self._unconfirmed: deque[Record] = deque()
        self._recorders: dict[str, _Recorder] = {}
        self._progress_at = monotonic()
        self._reminded_at = 0.0
        self._has_given_up = False
        self._topic = node.create_publisher(Record, RECORD, record_qos())
        self._confirmed = node.create_subscription(
            Recorded, RECORDED, self._on_recorded, recorded_qos()
        )

    def begin(self) -> None:
        """Begin a match: what was lost before is not counted again."""
        self._first, self._first_games = self._sequence, self._games
        self._is_resumed = self._has_given_up = False
        self._progress_at = monotonic()
        if not self._node.count_publishers(self._confirmed.topic_name):
            # They were stopped between two matches.
            self._recorders.clear()
        for recorder in self._recorders.values():
            recorder.old_missing, recorder.old_games = recorder.missing, recorder.games

    def publish(self, tick: int, lines: list[TracedLine]) -> None:
        """Publish what happened in a tick."""
        for lane, group in groupby(sorted(lines, key=_lane), key=_lane):
            if not self._unconfirmed:
                self._progress_at = monotonic()
            self._sequence += 1
            record = Record(
                run=self._run,
                sequence=self._sequence,
                tick=tick,
                lane=lane,
                line=[line.text for line in group],
            )
            self._games += sum(line.startswith(_END) for line in record.line)
            self._unconfirmed.append(record)
            while len(self._unconfirmed) > KEPT:
                self._unconfirmed.popleft()
            record.oldest = self._unconfirmed[0].sequence
            self._topic.publish(record)

    def remind(self) -> None:
        """Publish the last message again if nothing was confirmed for a while.

        A recorder that was away for longer than its lease has lost what was published meanwhile,
        and learns from this message that there is something to ask for.
        """
        now = monotonic()
        if self._unconfirmed and now - max(self._progress_at, self._reminded_at) > _REMIND_AFTER:
            self._reminded_at = now
            self._publish_again(self._sequence - 1)

    @property
    def has_subscribers(self) -> bool:
        """Tell whether a program listens."""
        return bool(self._topic.get_subscription_count())

    def must_wait(self) -> bool:
        """Tell whether a recorder has to catch up before the next tick is played."""
        if len(self._unconfirmed) < UNCONFIRMED or not self._is_awaited:
            return False
        if not self._has_given_up and self._is_stuck:
            self._has_given_up = True
            self._log.error(
                f'the recorder has written nothing for {self._patience:g} s; the match continues,'
                ' and its recording will be incomplete'
            )
        return not self._has_given_up

    @property
    def is_settled(self) -> bool:
        """Tell whether all is written, or is not worth waiting for."""
        return not self._unconfirmed or not self._is_awaited or self._is_stuck

    def describe_loss(self) -> str:
        """Return, in words, what is missing from the recordings of this match; '' for nothing."""
        total = self._sequence - self._first
        if self._is_required and not self._recorders and total:
            return f'no recorder was found: {_ticks(total)} not recorded'
        found = []
        for folder, recorder in self._recorders.items():
            if loss := recorder.count_loss(self._first, self._sequence):
                games = self._games - self._first_games - (recorder.games - recorder.old_games)
                ends = f', with the ends of {games:,} games' if games > 0 else ''
                why = f' ({recorder.problem})' if recorder.problem else ''
                found.append(
                    f'the recording in {one_line(folder)} is incomplete: {_ticks(loss)}'
                    f' missing{ends}{why}'
                )
        return '; '.join(found)

    def close(self) -> None:
        """Take the topics off the graph."""
        self._node.destroy_publisher(self._topic)
        self._node.destroy_subscription(self._confirmed)

    # ---- inside

    @property
    def _is_awaited(self) -> bool:
        """Tell whether a recorder is to confirm what was published, and still can."""
        if not self._recorders:
            return self._is_required
        return any(not recorder.problem for recorder in self._recorders.values())

    @property
    def _is_stuck(self) -> bool:
        return monotonic() - self._progress_at > self._patience

    def _on_recorded(self, message: Recorded) -> None:
        recorder = self._recorders.get(message.folder)
        if recorder is None:
            # Only what was played in this match, also before it was killed, is missed in it.
            old = self._first if message.run == self._run else message.missing
            if self._is_resumed:
                old = 0
            recorder = _Recorder(old_missing=min(old, message.missing), old_games=message.games)
            self._recorders[message.folder] = recorder
        before = recorder.sequence
        recorder.missing, recorder.games = message.missing, message.games
        recorder.sequence = message.sequence if message.run == self._run else 0
        if message.run == self._run and message.sequence <= self._first:
            # It is still busy with the match before.
            recorder.old_missing, recorder.old_games = message.missing, message.games
        if message.problem and not recorder.problem:
            self._log.error(f'the recorder stops: {one_line(message.problem)}')
        recorder.problem = one_line(message.problem)
        if recorder.sequence > before:
            self._progress_at = monotonic()
            self._has_given_up = False
        self._forget_confirmed()
        if message.request != recorder.request:
            recorder.request = message.request
            self._publish_again(recorder.sequence)
        self._on_progress()

    def _forget_confirmed(self) -> None:
        healthy = [r.sequence for r in self._recorders.values() if not r.problem]
        confirmed = min(healthy, default=0)
        while self._unconfirmed and self._unconfirmed[0].sequence <= confirmed:
            self._unconfirmed.popleft()

    def _publish_again(self, sequence: int) -> None:
        for record in self._unconfirmed:
            if record.sequence > sequence:
                record.oldest = self._unconfirmed[0].sequence
                self._topic.publish(record)


# How long nothing is confirmed before a recorder is reminded [s].
_REMIND_AFTER = 1.0
# How the last line of a game begins.
_END = '{"type":"end"'


def _lane(line: TracedLine) -> int:
    return line.lane


def _ticks(number: int) -> str:
    return f'{number:,} {"tick is" if number == 1 else "ticks (over all lanes) are"}'
