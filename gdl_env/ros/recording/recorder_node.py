"""The recorder: every match as a bag, and as JSON lines that `gdl replay` checks."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
import os
from pathlib import Path
import secrets
from time import monotonic
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from gdl_msgs.msg import (
    Action,
    Evaluation,
    GameInfo,
    Policy,
    Record,
    Recorded,
    Reward,
    Spectator,
    State,
    Status,
)
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

from gdl_env.environment.trace import UNCONFIRMED
from gdl_env.errors import RecordingError
from gdl_env.ros.declaring import declare
from gdl_env.ros.parameters import RECORDER
from gdl_env.ros.recording.bag import BagWriter
from gdl_env.ros.recording.checkpoint import Checkpoint
from gdl_env.ros.recording.line_files import LineFiles
from gdl_env.ros.recording.link_watch import LinkWatch
from gdl_env.ros.recording.record_order import MessagePlace, RecordOrder
from gdl_env.ros.recording.repeats import LaneRepeats
from gdl_env.ros.recording.table_topics import table_topics
from gdl_env.ros.run_node import leave, run
from gdl_env.ros.timers import create_timer
from gdl_env.ros.transport.names import (
    BOARD,
    DIAGNOSTICS,
    EVALUATION,
    INFO,
    POLICY,
    RECORD,
    RECORDED,
    SPECTATOR,
    STATUS,
    TF_STATIC,
    action_topic,
    reward_topic,
    state_topic,
    view_topic,
)
from gdl_env.ros.transport.qos import (
    action_qos,
    diagnostics_qos,
    evaluation_qos,
    info_qos,
    policy_qos,
    record_qos,
    recorded_qos,
    reward_qos,
    spectator_qos,
    state_qos,
    status_qos,
    tf_static_qos,
)
from gdl_env.ros.transport.sources import InfoSubscription, find_rivals, guard

# How often what was written is confirmed [s], and after how many messages at the latest.
_PERIOD = 0.2
_CONFIRM_AFTER = UNCONFIRMED // 4
# How often lost messages are asked for [s].
_REQUEST_PERIOD = 0.5
# Messages that may wait to be written, of each topic.
_DEPTH = 1000
_DEPTH_OF_POLICIES = 4
_DEPTH_OF_PICTURES = 20
# How the last line of a game begins.
_END = '{"type":"end"'


class RecorderNode(Node):  # type: ignore[misc]
    """Writes what is on the topics of its namespace below the folder of its parameter.

    What was written is confirmed to the environment on `recorded`.
    """

    def __init__(self) -> None:
        super().__init__('recorder_node')
        # Why nothing was begun, and why nothing more is written, each in a sentence.
        self.failure = self.problem = ''
        # Whether a new process has to take over, since the environment is not heard any more.
        self.is_cut_off = False
        self._link = LinkWatch()
        try:
            self._open()
        except (RecordingError, OSError) as error:
            self.failure = str(error)
            self.get_logger().error(self.failure)

    @property
    def exit_code(self) -> int:
        """Return 0 if all that was published is recorded, EX_TEMPFAIL if another is to go on."""
        if self.is_cut_off:
            return os.EX_TEMPFAIL
        return 1 if self.failure or self.problem or self._order.missing else 0

    def finish(self) -> None:
        """Write what is left, and close all files."""
        if self.failure:
            return
        self._confirm()
        if not self.problem:
            try:
                self._bag.close()
            except OSError as error:
                self._give_up(error)
        self._lines.close()

    def _open(self) -> None:
        values = declare(self, RECORDER)
        self.folder = Path(values['folder']).expanduser().resolve()
        self._session: str = values['session']
        old = Checkpoint.load(self.folder)
        bags = len(list(self.folder.glob('bag*')))
        if bags and not (old and old.session and old.session == self._session):
            raise RecordingError(f'{self.folder} holds a recording already; name another folder')
        known = old or Checkpoint()
        self._bag = BagWriter(self.folder / (f'bag_{bags}' if bags else 'bag'))
        self._lines = LineFiles(self.folder, old.sizes if old else None)
        self._order = RecordOrder(known.run, known.sequence, known.missing)
        self._games = known.games
        self._request = self._number()
        self._requested = 0.0
        self._confirmed = known.sequence
        self._has_news = True
        # Roles, and cohorts in which they play.
        self._places: set[tuple[str, int]] = set()
        self._repeats: LaneRepeats[tuple[bytes, int, Record]] = LaneRepeats(known.recent)
        self._recorded = self.create_publisher(Recorded, RECORDED, recorded_qos())
        # As the match has announced it; 0: it has not.
        self._lanes = 0
        self._listen(INFO, GameInfo, info_qos())
        self._infos = InfoSubscription(self, INFO, self._on_info)
        self._listen(STATUS, Status, status_qos())
        self._listen(SPECTATOR, Spectator, spectator_qos())
        self._listen(BOARD, MarkerArray, info_qos())
        self._listen(TF_STATIC, TFMessage, tf_static_qos())
        self._listen(EVALUATION, Evaluation, evaluation_qos())
        # Large, and the newest is what counts.
        self._listen(POLICY, Policy, policy_qos(), depth=_DEPTH_OF_POLICIES)
        self._listen(DIAGNOSTICS, DiagnosticArray, diagnostics_qos())
        if values['table']:
            for topic, kind, qos in table_topics():
                self._listen(topic, kind, qos, depth=_DEPTH_OF_PICTURES)
        self._listen(RECORD, Record, record_qos(), self._on_record, is_written=False)
        self._confirm()
        create_timer(self, _PERIOD, self._confirm)
        if self._session:
            # Only then could another process continue this recording.
            create_timer(self, _PERIOD, self._look_for_environment)
        self.get_logger().info(f'recording into {self.folder}')

    def _listen(
        self,
        topic: str,
        kind: type,
        qos: QoSProfile,
        callback: Callable[[Any, bytes, int], None] | None = None,
        *,
        is_written: bool = True,
        depth: int = _DEPTH,
    ) -> None:
        name = self.resolve_topic_name(topic)
        self._bag.open_topic(name, kind, qos)
        # Every message is wanted, however many came at once.
        qos.depth = max(qos.depth, depth)

        def on_message(data: bytes) -> None:
            if self.problem:
                return
            time = self.get_clock().now().nanoseconds
            try:
                if is_written:
                    self._bag.write(name, data, time)
                if callback is not None:
                    callback(deserialize_message(data, kind), data, time)
            except OSError as error:
                self._give_up(error)

        self.create_subscription(kind, topic, guard(self, topic, on_message), qos, raw=True)

    def _on_info(self, info: GameInfo) -> None:
        self._lanes = info.lanes
        for place in product(info.roles, range(max(1, info.cohorts))):
            if place not in self._places:
                self._places.add(place)
                self._listen(state_topic(*place), State, state_qos())
                self._listen(view_topic(*place), State, state_qos())
                self._listen(action_topic(*place), Action, action_qos())
                self._listen(reward_topic(*place), Reward, reward_qos())

    def _on_record(self, record: Record, data: bytes, time: int) -> None:
        if not self._lanes:
            # What the match is about is still on its way.
            self._ask_again()
            return
        if problem := self._find_problem(record):
            self.get_logger().error(
                f'a message on {RECORD} is not recorded: {problem}', throttle_duration_sec=2.0
            )
            return
        run, missing = self._order.run, self._order.missing
        place = self._order.place(record.run, record.sequence, record.oldest)
        if lost := self._order.missing - missing:
            self._has_news = True
            self.get_logger().error(
                f'{lost:,} messages were lost before message {record.sequence:,}; the recording in'
                f' {self.folder} is incomplete'
            )
        if self._order.run != run:
            self._repeats.begin_run()
        if place is MessagePlace.AHEAD:
            self._ask_again()
        if place is not MessagePlace.NEXT:
            # What is published again may not be known to be written.
            self._has_news = True
            return
        self._link.hear(monotonic())
        self._games += sum(line.startswith(_END) for line in record.line)
        for new in self._repeats.add(record.lane, record.tick, record.line, (data, time, record)):
            self._write(*new)
        self._has_news = True
        if self._order.last - self._confirmed >= _CONFIRM_AFTER:
            self._confirm()

    def _find_problem(self, record: Record) -> str:
        """Return, in words, why a message is not of the match; '' if it is."""
        if record.lane >= self._lanes:
            return f'lane {record.lane:,}, but the match has {self._lanes:,}'
        if not all(line.startswith('{') and line.isprintable() for line in record.line):
            return 'its lines are not those of a recording'
        if record.run != self._order.run or record.oldest > self._order.last + 1:
            # What the environment published before would count as done, or as lost.
            return find_rivals(self, RECORD)
        return ''

    def _write(self, data: bytes, time: int, record: Record) -> None:
        self._bag.write(self.resolve_topic_name(RECORD), data, time)
        self._lines.write(record.lane, record.line)

    def _ask_again(self) -> None:
        """Ask for what was published and not received."""
        if monotonic() - self._requested > _REQUEST_PERIOD:
            self._requested = monotonic()
            self._request = self._number()
            self._has_news = True
            self._confirm()

    def _confirm(self) -> None:
        """Give everything to the system, and tell the environment how far that is."""
        if self.problem:
            return
        try:
            self._bag.flush()
            if not self._has_news:
                return
            self._lines.flush()
            order = self._order
            Checkpoint(
                self._session,
                order.run,
                order.last,
                order.missing,
                self._games,
                self._lines.sizes,
                self._repeats.memory if self._session else (),
            ).save(self.folder)
        except OSError as error:
            self._give_up(error)
            return
        self._has_news = False
        self._confirmed = order.last
        self._publish_progress()

    def _look_for_environment(self) -> None:
        """End this process if it stood still, and the environment is not heard since."""
        if not self.is_cut_off and self._link.is_cut_off(monotonic()):
            self.is_cut_off = True
            self.get_logger().error(
                'this process stood still, and has received nothing to record since; it ends, so'
                ' that another one can continue the recording'
            )

    def _give_up(self, error: OSError) -> None:
        """Write nothing more; leave files that can be read."""
        self.problem = f'{self.folder} cannot be written: {error.strerror or error}'
        self.get_logger().error(f'{self.problem}; what was recorded so far can be read')
        self._bag.abandon()
        self._lines.close()
        self._publish_progress()

    def _publish_progress(self) -> None:
        self._recorded.publish(
            Recorded(
                folder=str(self.folder),
                run=self._order.run,
                sequence=self._confirmed,
                missing=self._order.missing,
                games=self._games,
                request=self._request,
                problem=self.problem,
            )
        )

    @staticmethod
    def _number() -> int:
        return 1 + secrets.randbelow(2**63 - 1)


def main() -> None:
    """Record until stopped."""
    node = run(
        RecorderNode,
        lambda node: bool(node.failure) or node.is_cut_off,
        finish=lambda node: node.finish(),
    )
    leave(node.exit_code)
