"""Bags: messages of ROS in an MCAP file that `ros2 bag` and Foxglove open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
import os
from pathlib import Path
import re
from typing import Any

from mcap.writer import CompressionType, Writer
from rclpy.qos import DurabilityPolicy, QoSProfile
import yaml

_CHUNK = 256 * 1024
_RULE = '=' * 80
_FIELD = re.compile(r'^\s*([a-z][a-z0-9_]*)/(?:msg/)?([A-Z]\w*)(?:\[[^\]]*\])?\s')
_OWN = re.compile(r'^\s*([A-Z]\w*)(?:\[[^\]]*\])?\s')


class BagWriter:
    """Writes raw messages to `<folder>/<folder name>_0.mcap`, with the metadata of rosbag2."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.path = folder / f'{folder.name}_0.mcap'
        self._stream = self.path.open('wb')
        self._writer = Writer(self._stream, chunk_size=_CHUNK, compression=CompressionType.LZ4)
        self._writer.start(profile='ros2', library='gdl_env')
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        self._topics: dict[str, tuple[str, str]] = {}
        self._counts: dict[str, int] = {}
        self._first = self._last = 0
        # Bytes of the file that are known to be written, and to be whole.
        self._size = 0

    def open_topic(self, topic: str, message_type: Any, qos: QoSProfile) -> None:
        """Say what a topic holds, before its first message."""
        name = _type_name(message_type)
        if name not in self._schemas:
            self._schemas[name] = self._writer.register_schema(
                name, 'ros2msg', definition(name).encode()
            )
        told = _qos(qos)
        self._channels[topic] = self._writer.register_channel(
            topic, 'cdr', self._schemas[name], {'offered_qos_profiles': told}
        )
        self._topics[topic] = name, told
        self._counts[topic] = 0

    def write(self, topic: str, data: bytes, time: int) -> None:
        """Add a message; time is in nanoseconds."""
        self._writer.add_message(self._channels[topic], time, data, time)
        self._counts[topic] += 1
        self._first = min(self._first or time, time)
        self._last = max(self._last, time)

    def flush(self) -> None:
        """Give everything so far to the system: it is not lost if this program is killed.

        Raises OSError, as `write` and `close` do.
        """
        self._writer.flush()
        self._size = self._stream.tell()

    def close(self) -> None:
        """Finish the file and write the metadata beside it."""
        self._writer.finish()
        self._stream.close()
        new = self.folder / 'metadata.yaml.new'
        new.write_text(yaml.safe_dump(self._metadata(), sort_keys=False), encoding='utf-8')
        new.replace(self.folder / 'metadata.yaml')

    def abandon(self) -> None:
        """Close the file as it was when it was last flushed: the disk is full."""
        with suppress(OSError):
            self._stream.close()
        with suppress(OSError):
            os.truncate(self.path, self._size)

    def _metadata(self) -> dict[str, Any]:
        start, length = self._first, self._last - self._first
        count = sum(self._counts.values())
        return {
            'rosbag2_bagfile_information': {
                'version': 9,
                'storage_identifier': 'mcap',
                'duration': {'nanoseconds': length},
                'starting_time': {'nanoseconds_since_epoch': start},
                'message_count': count,
                'topics_with_message_count': [
                    {
                        'topic_metadata': {
                            'name': topic,
                            'type': name,
                            'serialization_format': 'cdr',
                            'offered_qos_profiles': yaml.safe_load(qos),
                            'type_description_hash': '',
                        },
                        'message_count': self._counts[topic],
                    }
                    for topic, (name, qos) in self._topics.items()
                ],
                'compression_format': '',
                'compression_mode': '',
                'relative_file_paths': [self.path.name],
                'files': [
                    {
                        'path': self.path.name,
                        'starting_time': {'nanoseconds_since_epoch': start},
                        'duration': {'nanoseconds': length},
                        'message_count': count,
                    }
                ],
                'custom_data': None,
                'ros_distro': 'jazzy',
            }
        }


def definition(name: str) -> str:
    """Return the text of a message type and of all it uses, as bags hold it."""
    parts = []
    for index, used in enumerate(_used(name)):
        text = _text(used)
        package, _, kind = used.split('/')
        parts.append(text if index == 0 else f'{_RULE}\nMSG: {package}/{kind}\n{text}')
    return '\n'.join(parts)


def _used(name: str) -> Iterator[str]:
    seen = [name]
    for current in seen:
        yield current
        package = current.split('/')[0]
        for line in _text(current).splitlines():
            foreign, own = _FIELD.match(line), _OWN.match(line)
            if foreign:
                found = f'{foreign[1]}/msg/{foreign[2]}'
            elif own:
                found = f'{package}/msg/{own[1]}'
            else:
                continue
            if found not in seen:
                seen.append(found)


def _text(name: str) -> str:
    from gdl_env.ros.launch.executables import share_folder

    package, _, kind = name.split('/')
    return (share_folder(package) / 'msg' / f'{kind}.msg').read_text(encoding='utf-8')


def _type_name(message_type: Any) -> str:
    package = message_type.__module__.split('.')[0]
    return f'{package}/msg/{message_type.__name__}'


def _qos(qos: QoSProfile) -> str:
    """Return a profile as rosbag2 writes it."""
    is_kept = qos.durability is DurabilityPolicy.TRANSIENT_LOCAL
    profile = {
        'history': 'keep_last',
        'depth': qos.depth,
        'reliability': 'reliable',
        'durability': 'transient_local' if is_kept else 'volatile',
        'deadline': {'sec': 9223372036, 'nsec': 854775807},
        'lifespan': {'sec': 9223372036, 'nsec': 854775807},
        'liveliness': 'automatic',
        'liveliness_lease_duration': {'sec': 9223372036, 'nsec': 854775807},
        'avoid_ros_namespace_conventions': False,
    }
    return str(yaml.safe_dump([profile], sort_keys=False))
