"""Legal actions of every lane, picked on packed masks: by compiled loops, where lanes are many."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_env.environment.bits import Bits
from gdl_env.environment.protocol import NO_ACTION, Question
from gdl_env.late_kernels import find_kernels
from gdl_env.play.plain_chance import draw_below

_KERNELS = 'gdl_agents.players.picking_kernels'


def pick_first(question: Question) -> NDArray[np.int32]:
    """Return the lowest legal action of each lane that decides, NO_ACTION of the others."""
    action = np.full(question.lanes, NO_ACTION, np.int32)
    if question.legal is None:
        return action
    kernels = find_kernels(_KERNELS, question.lanes)
    if kernels is not None:
        kernels.pick_first(question.legal.data, question.to_move, action)
        return action
    for lane in np.flatnonzero(question.to_move):
        legal = np.flatnonzero(question.legal.row(int(lane)))
        action[lane] = legal[0] if len(legal) else NO_ACTION
    return action


def pick_random(question: Question, key: int) -> NDArray[np.int32]:
    """Return a random legal action of each lane that decides, NO_ACTION of the others.

    All are as likely. A lane's draw depends on the key, the lane and its own mask only.
    """
    lanes = question.lanes
    kernels = find_kernels(_KERNELS, lanes)
    if kernels is not None and question.legal is not None:
        action = np.empty(lanes, np.int32)
        kernels.pick_random(question.legal.data, question.to_move, np.uint64(key), action)
        return action
    action = np.full(lanes, NO_ACTION, np.int32)
    if question.legal is None:
        return action
    for lane in np.flatnonzero(question.to_move):
        action[lane] = _draw(question.legal, int(lane), key)
    return action


def pick_random_rows(legal: Bits, key: int) -> NDArray[np.int32]:
    """Return a random legal action for each row of masks, -1 where nothing is legal.

    All are as likely. A row's draw depends on the key, its place and its own mask only.
    """
    action = np.empty(len(legal), np.int32)
    kernels = find_kernels(_KERNELS, len(legal))
    if kernels is not None:
        kernels.pick_random_rows(np.ascontiguousarray(legal.data), np.uint64(key), action)
        return action
    for row in range(len(legal)):
        action[row] = _draw(legal, row, key)
    return action


def _draw(masks: Bits, row: int, key: int) -> int:
    legal = np.flatnonzero(masks.row(row))
    return int(legal[draw_below(key, row, len(legal))]) if len(legal) else NO_ACTION
