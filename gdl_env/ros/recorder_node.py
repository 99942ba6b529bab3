"""The recorder: every match as a bag, and as JSON lines that `gdl replay` checks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import sys
from typing import Any, BinaryIO

from gdl_msgs.msg import Action, GameInfo, Record, Reward, Spectator, State, Status
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message

from gdl_env.ros.bag import BagWriter
from gdl_env.ros.names import topic_part
from gdl_env.ros.qos import (
    action_qos,
    info_qos,
    record_qos,
    reward_qos,
    spectator_qos,
    state_qos,
    status_qos,
)
from gdl_env.ros.repeats import Repeats
from gdl_env.ros.spinning import run

# How often lines are given to the system [s].
_FLUSH_PERIOD = 0.5
# Messages that may wait to be written, of each topic.
_DEPTH = 1000


class RecorderNode(Node):  # type: ignore[misc]
    """Writes what is on the topics of its namespace below the folder of its parameter."""

    def __init__(self) -> None:
        super().__init__('recorder_node')
        descriptor = ParameterDescriptor(
            description='Folder to write into; it must not hold another recording', read_only=True
        )
        folder = self.declare_parameter('folder', 'recordings/match', descriptor).value
        self.failure = ''
        self.folder = Path(folder).expanduser().resolve()
        if (self.folder / 'bag').exists():
            self.failure = f'{self.folder} holds a recording already; name another folder'
            self.get_logger().error(self.failure)
            return
        self._bag = BagWriter(self.folder / 'bag')
        self._lines: dict[int, BinaryIO] = {}
        self._roles: set[str] = set()
        self._repeats: dict[int, Repeats[tuple[bytes, int, Record]]] = {}
        self._listen('info', GameInfo, info_qos(), self._on_info)
        self._listen('status', Status, status_qos())
        self._listen('spectator', Spectator, spectator_qos())
        self._listen('record', Record, record_qos(), self._on_record, is_written=False)
        self.create_timer(_FLUSH_PERIOD, self._flush)
        self.get_logger().info(f'recording into {self.folder}')

    def finish(self) -> None:
        """Write what is left, and close all files."""
        if self.failure:
            return
        self._bag.close()
        for stream in self._lines.values():
            stream.close()

    def _listen(
        self,
        topic: str,
        kind: type,
        qos: QoSProfile,
        callback: Callable[[Any, bytes, int], None] | None = None,
        *,
        is_written: bool = True,
    ) -> None:
        name = self.resolve_topic_name(topic)
        self._bag.open_topic(name, kind, qos)
        # Every message is wanted, however many came at once.
        qos.depth = max(qos.depth, _DEPTH)

        def on_message(data: bytes) -> None:
            time = self.get_clock().now().nanoseconds
            if is_written:
                self._bag.write(name, data, time)
            if callback is not None:
                callback(deserialize_message(data, kind), data, time)

        self.create_subscription(kind, topic, on_message, qos, raw=True)

    def _on_info(self, info: GameInfo, data: bytes, time: int) -> None:
        for role in info.roles:
            if role not in self._roles:
                self._roles.add(role)
                part = topic_part(role)
                self._listen(f'{part}/state', State, state_qos())
                self._listen(f'{part}/view', State, state_qos())
                self._listen(f'{part}/action', Action, action_qos())
                self._listen(f'{part}/reward', Reward, reward_qos())

    def _on_record(self, record: Record, data: bytes, time: int) -> None:
        repeats = self._repeats.setdefault(record.lane, Repeats())
        for new in repeats.add(record.tick, tuple(record.line), (data, time, record)):
            self._write(*new)

    def _write(self, data: bytes, time: int, record: Record) -> None:
        self._bag.write(self.resolve_topic_name('record'), data, time)
        if record.lane not in self._lines:
            name = 'matches.jsonl' if record.lane == 0 else f'matches_lane_{record.lane}.jsonl'
            self._lines[record.lane] = (self.folder / name).open('ab')
        self._lines[record.lane].write(''.join(f'{line}\n' for line in record.line).encode())

    def _flush(self) -> None:
        self._bag.flush()
        for stream in self._lines.values():
            stream.flush()


def main() -> None:
    """Record until told to stop."""
    node = run(RecorderNode, lambda node: bool(node.failure), finish=lambda node: node.finish())
    sys.exit(1 if node.failure else 0)
