"""Messages and values: the same after a round trip; what does not fit is refused."""

import array
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.ros

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
gdl_msgs = pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from gdl_env.environment.bits import Bits  # noqa: E402
from gdl_env.environment.exchange import Answer, Feedback, MatchInfo, Question  # noqa: E402
from gdl_env.ros import wire  # noqa: E402
from gdl_env.ros.names import topic_part  # noqa: E402

LANES, OBSERVATION, ACTIONS = 11, 27, 9


def info(**changes: Any) -> MatchInfo:
    values = {
        'name': 'tictactoe',
        'rules': '(role x)',
        'roles': ('x', 'o', 'y'),
        'lanes': LANES,
        'observation_size': OBSERVATION,
        'action_size': ACTIONS,
        'moves': tuple(f'(mark {i})' for i in range(ACTIONS)),
        'facts': tuple(f'(cell {i})' for i in range(OBSERVATION)),
        'start_clock': 1.5,
        'play_clock': 0.25,
        'teams': {'one': ('x', 'y')},
    }
    return MatchInfo(**{**values, **changes})


def random_bits(rows: int, size: int) -> Bits:
    return Bits.pack(np.random.default_rng(rows).integers(0, 2, (rows, size)).astype(np.bool_))


def question() -> Question:
    return Question(
        tick=2**40,
        role='x',
        episode=np.arange(1, LANES + 1, dtype=np.uint64),
        to_move=np.arange(LANES) % 2 == 0,
        observation=random_bits(LANES, OBSERVATION),
        legal=random_bits(LANES, ACTIONS),
        time_left=2.5,
        facts=('(cell 1)',),
        legal_moves=('(mark 1)', '(mark 2)'),
    )


def feedback() -> Feedback:
    terminated = np.arange(LANES) % 3 == 0
    truncated = np.arange(LANES) == 1
    return Feedback(
        tick=7,
        role='o',
        episode=np.full(LANES, 3, np.uint64),
        reward=np.linspace(-1, 1, LANES, dtype=np.float32),
        goal=np.full(LANES, 255, np.uint8),
        terminated=terminated,
        truncated=truncated,
        action=np.arange(LANES, dtype=np.int32) - 1,
        origin=np.ones(LANES, np.uint8),
        final_observation=random_bits(int((terminated | truncated).sum()), OBSERVATION),
        move='(mark 1)',
    )


def assert_same(one: Any, other: Any) -> None:
    if is_dataclass(one):
        assert type(one) is type(other)
        for each in fields(one):
            assert_same(getattr(one, each.name), getattr(other, each.name))
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    else:
        assert one == other


def test_info_round_trip() -> None:
    message = wire.to_game_info(info(), seed=5)
    assert message.seed == 5
    assert list(message.team) == ['one', '', 'one']
    assert_same(wire.from_game_info(message), info())


def test_state_round_trip() -> None:
    assert_same(wire.from_state(wire.to_state(question()), info()), question())


def test_state_without_vectors() -> None:
    match = info(observation_size=0, action_size=0, moves=(), facts=())
    message = gdl_msgs.State(tick=1, role='x', lanes=LANES)
    message.episode = array.array('Q', [1] * LANES)
    message.to_move = array.array('B', [1, 0])
    found = wire.from_state(message, match)
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
    assert_same(wire.from_action(wire.to_action(by_index), info()), by_index)
    by_text = Answer(tick=3, role='x', agent='/me', moves=('(mark 1)', *[''] * (LANES - 1)))
    assert_same(wire.from_action(wire.to_action(by_text), info()), by_text)


def test_reward_round_trip() -> None:
    assert_same(wire.from_reward(wire.to_reward(feedback()), info()), feedback())


def test_messages_are_what_ros_wants() -> None:
    """With checks on, the setters of ROS accept every field."""
    message = wire.to_state(question())
    checked = gdl_msgs.State(check_fields=True)
    for name in message.get_fields_and_field_types():
        setattr(checked, name, getattr(message, name))


@pytest.mark.parametrize('seconds', [0.0, 1e-12, 0.1, 3.25, 1e12, float('inf')])
def test_duration(seconds: float) -> None:
    found = wire.from_duration(wire.to_duration(seconds))
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
    message = wire.to_state(question())
    setattr(message, field, value)
    with pytest.raises(wire.WireError, match=words):
        wire.from_state(message, info())


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
    with pytest.raises(wire.WireError, match=words):
        wire.from_action(message, info())


def test_action_by_index_without_table_is_refused() -> None:
    message = gdl_msgs.Action(tick=1, role='x', agent='/me')
    message.action = array.array('i', [0] * LANES)
    with pytest.raises(wire.WireError, match='answer by text'):
        wire.from_action(message, info(action_size=0, moves=()))


def test_foreign_info_is_refused() -> None:
    message = wire.to_game_info(info())
    message.team = ['one']
    with pytest.raises(wire.WireError, match='`team` has 1 entries, not 3'):
        wire.from_game_info(message)
    with pytest.raises(wire.WireError, match='at least one role'):
        wire.from_game_info(gdl_msgs.GameInfo())


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
