"""Messages and values: the same after a round trip; what does not fit is refused."""

import array
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.ros

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
gdl_msgs = pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from message_cases import (  # noqa: E402
    ACTIONS,
    LANES,
    assert_same,
    feedback,
    info,
    question,
)

from gdl_env.environment.protocol import Answer  # noqa: E402
from gdl_env.ros.transport import messages  # noqa: E402
from gdl_env.ros.transport.names import topic_part  # noqa: E402


def test_info_round_trip() -> None:
    message = messages.to_game_info(info(), seed=5)
    assert message.seed == 5
    assert list(message.team) == ['one', '', 'one']
    assert_same(messages.from_game_info(message), info())


def test_state_round_trip() -> None:
    assert_same(messages.from_state(messages.to_state(question()), info()), question())


def test_state_without_vectors() -> None:
    match = info(observation_size=0, action_size=0, moves=(), facts=())
    message = gdl_msgs.State(tick=1, role='x', lanes=LANES)
    message.episode = array.array('Q', [1] * LANES)
    message.to_move = array.array('B', [1, 0])
    found = messages.from_state(message, match)
    assert found.observation is None
    assert found.legal is None
    assert found.is_decision


def test_action_round_trip() -> None:
    by_index = Answer(
        tick=3,
        role='x',
        agent='/me',
        action=np.arange(LANES, dtype=np.int32) - 1,
        preference=np.ones((LANES, ACTIONS), np.float32),
    )
    assert_same(messages.from_action(messages.to_action(by_index), info()), by_index)
    by_text = Answer(tick=3, role='x', agent='/me', moves=('(mark 1)', *[''] * (LANES - 1)))
    assert_same(messages.from_action(messages.to_action(by_text), info()), by_text)


def test_reward_round_trip() -> None:
    assert_same(messages.from_reward(messages.to_reward(feedback()), info()), feedback())


def test_messages_are_what_ros_wants() -> None:
    """With checks on, the setters of ROS accept every field."""
    message = messages.to_state(question())
    checked = gdl_msgs.State(check_fields=True)
    for name in message.get_fields_and_field_types():
        setattr(checked, name, getattr(message, name))


@pytest.mark.parametrize('seconds', [0.0, 1e-12, 0.1, 3.25, 1e12, float('inf')])
def test_duration(seconds: float) -> None:
    found = messages.from_duration(messages.to_duration(seconds))
    assert (found > 0) == (seconds > 0)
    assert found == pytest.approx(min(seconds, 2**31 - 1), abs=1e-9)


@pytest.mark.parametrize(
    ('field', 'value', 'words'),
    [
        ('lanes', 3, '3 lanes, but the match has 11'),
        ('role', 'z', 'no such role; roles: x, o, y'),
        ('episode', array.array('Q', [1]), '`episode` has 1 entries, not 11'),
        ('to_move', array.array('B', [1]), '`to_move` has 1 entries, not 2'),
        ('legal', array.array('B', [1]), '`legal`: 11 rows of 9 bits take 22 bytes, not 1'),
        ('observation', array.array('B', [1]), '`observation`: 11 rows of 27'),
    ],
)
def test_foreign_state_is_refused(field: str, value: Any, words: str) -> None:
    message = messages.to_state(question())
    setattr(message, field, value)
    with pytest.raises(messages.WireError, match=words):
        messages.from_state(message, info())


@pytest.mark.parametrize(
    ('values', 'words'),
    [
        ({'agent': ''}, 'must not be empty'),
        ({'action': array.array('i')}, 'both `action` and `move` are empty'),
        ({'action': array.array('i', [1])}, '`action` has 1 entries, not 11'),
        ({'preference': array.array('f', [1])}, '`preference` has 1 entries, not 99'),
        ({'action': array.array('i'), 'move': ['a']}, '`move` has 1 entries, not 11'),
    ],
)
def test_foreign_action_is_refused(values: dict[str, Any], words: str) -> None:
    message = gdl_msgs.Action(tick=1, role='x', agent='/me')
    message.action = array.array('i', [0] * LANES)
    for field, value in values.items():
        setattr(message, field, value)
    with pytest.raises(messages.WireError, match=words):
        messages.from_action(message, info())


def test_action_by_index_without_table_is_refused() -> None:
    message = gdl_msgs.Action(tick=1, role='x', agent='/me')
    message.action = array.array('i', [0] * LANES)
    with pytest.raises(messages.WireError, match='answer by text'):
        messages.from_action(message, info(action_size=0, moves=()))


def test_a_turn_rule_that_is_not_announced_is_rotation() -> None:
    message = messages.to_game_info(info())
    message.turn = ''
    assert messages.from_game_info(message).turn == 'rotate'


def test_foreign_info_is_refused() -> None:
    message = messages.to_game_info(info())
    message.team = ['one']
    with pytest.raises(messages.WireError, match='`team` has 1 entries, not 3'):
        messages.from_game_info(message)
    with pytest.raises(messages.WireError, match='at least one role'):
        messages.from_game_info(gdl_msgs.GameInfo())


@pytest.mark.parametrize(
    ('name', 'part'),
    [
        ('white', 'white'),
        ('player_1', 'player_1'),
        ('player-1', 'player_x2d_1'),
        ('1', 'r_1'),
        ('a__b', 'a_x5f_x5f_b'),
        ('_', 'r_x5f_'),
    ],
)
def test_topic_part(name: str, part: str) -> None:
    from rclpy.validate_topic_name import validate_topic_name

    assert topic_part(name) == part
    assert validate_topic_name(f'{part}/state')
