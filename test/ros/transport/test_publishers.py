"""Publishers whose node has lost its name, as after a process stood still."""

from __future__ import annotations

from collections import OrderedDict

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed')

from gdl_env.ros.transport import publishers
from gdl_env.ros.transport.publishers import UNKNOWN, remember


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishers, '_NAMES', OrderedDict())


def test_a_name_is_remembered() -> None:
    assert remember(b'1', UNKNOWN) == UNKNOWN
    assert remember(b'1', '/match/white') == '/match/white'
    assert remember(b'1', UNKNOWN) == '/match/white'
    assert remember(b'2', UNKNOWN) == UNKNOWN


def test_not_all_names_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishers, '_MOST_NAMES', 3)
    for k in (0, 1, 2, 0, 3):
        remember(bytes([k]), f'/node_{k}')
    found = [remember(bytes([k]), UNKNOWN) for k in range(4)]
    assert found == ['/node_0', UNKNOWN, '/node_2', '/node_3']
