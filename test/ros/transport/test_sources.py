"""Who counts as another publisher of what belongs to one node."""

from __future__ import annotations

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from gdl_env.ros.transport.sources import UNKNOWN, name_nodes

ENV, OTHER = '/env_node', '/other'


@pytest.mark.parametrize(
    ('now', 'before', 'names'),
    [
        ({b'1': ENV}, {}, {ENV}),
        ({b'1': ENV}, {b'1': ENV}, {ENV}),
        # Its name had not arrived when its first match was taken.
        ({b'1': ENV}, {b'1': UNKNOWN}, {ENV}),
        ({b'1': ENV}, {b'1': ENV, b'2': UNKNOWN}, {ENV}),
        # Started again.
        ({b'2': ENV}, {b'1': ENV}, {ENV}),
        ({b'2': OTHER}, {b'1': ENV}, {OTHER}),
        # Two.
        ({b'1': ENV, b'2': OTHER}, {b'1': ENV}, {ENV, OTHER}),
        ({b'1': ENV, b'2': UNKNOWN}, {b'1': ENV}, {ENV, UNKNOWN}),
        # One of two has left, and either may have published what was taken.
        ({b'1': ENV}, {b'1': ENV, b'2': OTHER}, {ENV, OTHER}),
    ],
)
def test_nodes(now: dict[bytes, str], before: dict[bytes, str], names: set[str]) -> None:
    assert name_nodes(now, before) == names
