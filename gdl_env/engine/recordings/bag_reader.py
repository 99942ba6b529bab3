"""Recordings inside bags: the lines on the topic `record`. No ROS is needed to read them."""

from __future__ import annotations

from pathlib import Path
import struct

from gdl_env.errors import RecordingError

_SUFFIX = '.mcap'
_TYPE = 'gdl_msgs/msg/Record'


def is_bag(path: Path) -> bool:
    """Tell whether this is a bag: an MCAP file, or a folder."""
    return path.is_dir() or path.suffix == _SUFFIX


def read_bag(path: Path) -> dict[tuple[str, int], list[bytes]]:
    """Return the lines of recordings in a bag, by topic and lane.

    A bag that was not closed, because its recorder was killed, is read as far as it goes. Raises
    RecordingError if there is no bag, or no recording in it.
    """
    lines: dict[tuple[str, int], list[bytes]] = {}
    last: dict[tuple[str, int], int] = {}
    for file in _files(path):
        _read(file, lines, last)
    if not lines:
        raise RecordingError(
            f'{path} holds no messages of the type {_TYPE}: it was not recorded with record:=true'
        )
    return lines


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.exists():
        raise RecordingError(f'{path}: no such file or folder')
    # A recorder that was restarted has begun another folder: bag, bag_1, bag_2 …
    found = sorted(path.glob(f'*{_SUFFIX}')) or sorted(
        path.glob(f'bag*/*{_SUFFIX}'), key=lambda file: (len(file.name), file.name)
    )
    if not found:
        raise RecordingError(f'{path} is no bag: there is no {_SUFFIX} file in it')
    return found


def _read(
    file: Path, lines: dict[tuple[str, int], list[bytes]], last: dict[tuple[str, int], int]
) -> None:
    """Add the lines of a file; `last` is the last message of each topic and run so far."""
    from mcap.exceptions import EndOfFile, McapError
    from mcap.reader import NonSeekingReader
    from mcap_ros2.decoder import DecoderFactory

    with file.open('rb') as stream:
        reader = NonSeekingReader(stream, decoder_factories=[DecoderFactory()])
        try:
            for schema, channel, _, record in reader.iter_decoded_messages(log_time_order=False):
                if schema is not None and schema.name == _TYPE:
                    # Older bags have no numbers.
                    sequence = getattr(record, 'sequence', 0)
                    run = channel.topic, getattr(record, 'run', 0)
                    if sequence and sequence <= last.get(run, 0):
                        # A restarted recorder was given it again.
                        continue
                    last[run] = sequence
                    kept = lines.setdefault((channel.topic, record.lane), [])
                    kept.extend(f'{line}\n'.encode() for line in record.line)
        except (EndOfFile, struct.error):
            # The last record is cut off; the reader says so in one way or the other.
            return
        except McapError as error:
            raise RecordingError(f'{file}: {error}') from error
