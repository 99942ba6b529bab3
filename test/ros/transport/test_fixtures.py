"""The example of every message in msg/fixtures is what ROS 2 reads and writes."""

from __future__ import annotations

import json
from pathlib import Path
import sys

import pytest

pytestmark = pytest.mark.ros

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from rclpy.serialization import deserialize_message, serialize_message  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[3] / 'tools'))
from message_fixtures import (  # noqa: E402
    FOLDER,
    make_fixture,
    message_class,
    message_names,
    to_message,
)

from gdl_env.ros.transport.cdr import read_stamp, read_tick  # noqa: E402


def test_every_message_has_one_and_nothing_else_has() -> None:
    names = message_names()
    assert len(names) > 10
    assert sorted(path.stem for path in FOLDER.glob('*.json')) == names
    assert sorted(path.stem for path in FOLDER.glob('*.cdr')) == names


@pytest.mark.parametrize('name', message_names())
def test_bytes_and_values_are_the_same_message(name: str) -> None:
    remedy = 'run tools/message_fixtures.py'
    data = (FOLDER / f'{name}.cdr').read_bytes()
    values = json.loads((FOLDER / f'{name}.json').read_text('utf-8'))
    kind = f'gdl_msgs/{name}'
    message = to_message(kind, values)
    # What others wrote is read here, and what is written here is what others read.
    assert deserialize_message(data, message_class(kind)) == message, remedy
    made, fresh, gaps = make_fixture(name)
    assert (made, fresh) == (values, data), remedy
    written = serialize_message(message)
    # The middleware may fill up the end.
    assert written[len(data) :] in {bytes(n) for n in range(8)}
    assert [b for i, b in enumerate(written[: len(data)]) if i not in gaps] == [
        b for i, b in enumerate(data) if i not in gaps
    ]


@pytest.mark.parametrize('name', ['State', 'Action'])
def test_what_is_read_from_bytes_directly(name: str) -> None:
    data = (FOLDER / f'{name}.cdr').read_bytes()
    values = json.loads((FOLDER / f'{name}.json').read_text('utf-8'))
    assert read_tick(data) == values['tick']
    stamp = values['header']['stamp']
    assert read_stamp(data) == stamp['sec'] * 1_000_000_000 + stamp['nanosec']
