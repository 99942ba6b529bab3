"""Values of a match as messages carry them, with data in every field."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from gdl_env.environment.bits import Bits
from gdl_env.environment.protocol import Feedback, MatchInfo, Question

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
        'turn': 'priority',
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
        agent='/match/x_random',
        stamp=1_700_000_000_123_456_789,
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
