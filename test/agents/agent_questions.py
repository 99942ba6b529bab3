"""Matches and questions for tests of agents."""

from __future__ import annotations

from typing import Any

import numpy as np

from gdl_env.environment.bits import Bits
from gdl_env.environment.protocol import Feedback, MatchInfo, Question

MOVES = tuple(f'(mark {x} {y})' for x in (1, 2, 3) for y in (1, 2, 3))
FACTS = tuple(f'(cell {x} {y} b)' for x in (1, 2, 3) for y in (1, 2, 3))


def make_info(lanes: int = 1, **changes: Any) -> MatchInfo:
    values: dict[str, Any] = {
        'name': 'tictactoe',
        'rules': '(role x) (role o)',
        'roles': ('x', 'o'),
        'lanes': lanes,
        'observation_size': len(FACTS),
        'action_size': len(MOVES),
        'moves': MOVES,
        'facts': FACTS,
    }
    return MatchInfo(**{**values, **changes})


def make_text_info() -> MatchInfo:
    """Return a match of a game without vectors."""
    return make_info(observation_size=0, action_size=0, moves=(), facts=())


def ask(mask: np.ndarray, *, tick: int = 1, role: str = 'x', **changes: Any) -> Question:
    """Ask with a matrix of legal actions; lanes without any have no decision."""
    lanes = len(mask)
    values: dict[str, Any] = {
        'tick': tick,
        'role': role,
        'episode': np.ones(lanes, np.uint64),
        'to_move': mask.any(axis=1),
        'observation': Bits.pack(np.ones((lanes, len(FACTS)), np.bool_)),
        'legal': Bits.pack(mask),
    }
    return Question(**{**values, **changes})


def ask_one(*actions: int, **changes: Any) -> Question:
    """Ask in one lane, in which these actions are legal."""
    legal = np.zeros((1, len(MOVES)), np.bool_)
    legal[0, list(actions)] = True
    return ask(legal, **changes)


def ask_text(*moves: str, facts: tuple[str, ...] = (), **changes: Any) -> Question:
    """Ask in one lane of a game without an action table."""
    return ask(
        np.ones((1, 1), np.bool_),
        observation=None,
        legal=None,
        facts=facts,
        legal_moves=moves,
        **changes,
    )


def give_feedback(**changes: Any) -> Feedback:
    """Tell that one lane ended with 100."""
    values: dict[str, Any] = {
        'tick': 1,
        'role': 'x',
        'episode': np.ones(1, np.uint64),
        'reward': np.ones(1, np.float32),
        'goal': np.full(1, 100, np.uint8),
        'terminated': np.ones(1, np.bool_),
        'truncated': np.zeros(1, np.bool_),
        'action': np.zeros(1, np.int32),
        'origin': np.ones(1, np.uint8),
        'final_observation': None,
        'move': MOVES[0],
    }
    return Feedback(**{**values, **changes})
