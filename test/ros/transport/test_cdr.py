"""Bytes made here are those of ordinary messages, and whatever comes in is read or refused."""

from __future__ import annotations

from dataclasses import replace
import random
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.ros

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from gdl_msgs.msg import Action, State  # noqa: E402
from message_cases import ACTIONS, LANES, assert_same, info, question, random_bits  # noqa: E402
from rclpy.serialization import deserialize_message, serialize_message  # noqa: E402

from gdl_env.environment.protocol import Answer, Question  # noqa: E402
from gdl_env.ros.transport import cdr, messages  # noqa: E402


def one_lane(**changes: Any) -> Question:
    asked = Question(
        tick=3,
        role='x',
        episode=np.array([2], np.uint64),
        to_move=np.array([True]),
        observation=random_bits(1, 27),
        legal=random_bits(1, ACTIONS),
    )
    return replace(asked, **changes)


QUESTIONS = [
    (question(), {}),
    (one_lane(), {'lanes': 1}),
    (one_lane(to_move=np.array([False]), facts=('a', 'bc', 'def', '')), {'lanes': 1}),
    (one_lane(role='größer', facts=('(cell ä)',)), {'lanes': 1, 'roles': ('größer', 'o')}),
    (one_lane(legal_moves=('(mark 1)',) * 200), {'lanes': 1}),
    *(
        (one_lane(agent='/' + 'a' * n, stamp=1_700_000_000_123_456_789), {'lanes': 1})
        for n in range(9)
    ),
    (
        one_lane(observation=None, legal=None, facts=('(a)',)),
        {'lanes': 1, 'observation_size': 0, 'action_size': 0, 'moves': (), 'facts': ()},
    ),
]

ANSWERS = [
    Answer(2**63, 'x', '/me', np.arange(LANES, dtype=np.int32) - 1),
    Answer(1, 'o', '/match/spieler_ö', np.zeros(LANES, np.int64)),  # type: ignore[arg-type]
    Answer(1, 'x', '/me', moves=('(mark 1)', *[''] * (LANES - 1))),
    Answer(
        7,
        'y',
        'm',
        np.zeros(LANES, np.int32),
        preference=np.linspace(0, 1, LANES * ACTIONS, dtype=np.float32).reshape(LANES, ACTIONS),
    ),
]


@pytest.mark.parametrize(('asked', 'changes'), QUESTIONS)
@pytest.mark.parametrize('time_left', [0.0, 2.5, 1e-12, 1e12])
def test_questions(asked: Question, changes: dict[str, Any], time_left: float) -> None:
    data = cdr.pack_question(asked, time_left, agent=asked.agent, stamp=asked.stamp)
    message = messages.to_state(asked)
    message.time_left = messages.to_duration(time_left)
    assert deserialize_message(data, State) == message
    match = info(**changes)
    for sent in (data, serialize_message(message)):
        assert_same(cdr.unpack_question(sent, match), messages.from_state(message, match))


@pytest.mark.parametrize('given', ANSWERS)
@pytest.mark.parametrize('stamp', [0, 1_700_000_000_123_456_789])
def test_answers(given: Answer, stamp: int) -> None:
    message = messages.to_action(given, stamp)
    data = cdr.pack_answer(given, stamp)
    assert deserialize_message(data, Action) == message
    for sent in (data, serialize_message(message)):
        assert_same(cdr.unpack_answer(sent, info()), messages.from_action(message, info()))
        assert cdr.read_tick(sent) == given.tick
        assert cdr.read_stamp(sent) == stamp


@pytest.mark.parametrize('frame', ['', 'a', 'map', 'base', 'a_frame_of_some_length'])
def test_headers_of_others(frame: str) -> None:
    """Whoever fills in `frame_id` is understood as well."""
    answer, asked = messages.to_action(ANSWERS[0], 5), messages.to_state(question())
    answer.header.frame_id = asked.header.frame_id = frame
    data = serialize_message(answer)
    assert cdr.read_tick(data) == ANSWERS[0].tick
    assert_same(cdr.unpack_answer(data, info()), ANSWERS[0])
    assert_same(cdr.unpack_question(serialize_message(asked), info()), question())


@pytest.mark.parametrize(
    ('changes', 'words'),
    [
        ({'role': 'z'}, 'no such role; roles: x, o, y'),
        ({'episode': np.ones(3, np.uint64)}, '`episode` has 3 entries, not 11'),
        ({'to_move': np.ones(1, np.bool_)}, '1 lanes, but the match has 11'),
        ({'legal': random_bits(LANES, 30)}, '`legal`: 11 rows of 9 bits'),
    ],
)
def test_a_question_that_does_not_fit(changes: dict[str, Any], words: str) -> None:
    data = serialize_message(messages.to_state(replace(question(), **changes)))
    with pytest.raises(messages.WireError, match=words.replace('(', r'\(')):
        cdr.unpack_question(data, info())


def test_garbage_is_refused() -> None:
    """Cut, lengthen and change good bytes: a value or a WireError, nothing else, comes of it."""
    chance = random.Random(1)
    good = [cdr.pack_question(question()), cdr.pack_answer(ANSWERS[0])]
    for _ in range(2000):
        data = bytearray(chance.choice(good))
        for _ in range(chance.randrange(4)):
            data[chance.randrange(len(data))] = chance.choice((0, 1, 0x7F, 0xFF))
        cut = bytes(data[: chance.randrange(len(data) + 1)])
        for unpack in (cdr.unpack_question, cdr.unpack_answer):
            try:
                unpack(cut, info())
            except messages.WireError:
                continue


def test_invented_names_are_not_kept() -> None:
    cdr._decode.cache_clear()
    for number in range(5):
        answer = Answer(1, 'x', f'{number}' * 100_000, np.array([0], np.int32))
        found = cdr.unpack_answer(cdr.pack_answer(answer), info(lanes=1))
        assert found.agent == answer.agent
    assert cdr._decode.cache_info().currsize <= 1
