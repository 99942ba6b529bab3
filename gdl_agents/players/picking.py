"""Legal actions of every lane, picked on packed masks by compiled loops."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import lowest_one
from gdl_env.engine.batch.mask_rows import pick_one
from gdl_env.environment.bits import Bits
from gdl_env.environment.protocol import NO_ACTION, Question
from gdl_env.play.chance import word_at


def pick_first(question: Question) -> NDArray[np.int32]:
    """Return the lowest legal action of each lane that decides, NO_ACTION of the others."""
    action = np.full(question.lanes, NO_ACTION, np.int32)
    if question.legal is not None:
        _first(question.legal.data, question.to_move, action)
    return action


def pick_random(question: Question, key: int) -> NDArray[np.int32]:
    """Return a random legal action of each lane that decides, NO_ACTION of the others.

    All are as likely. A lane's draw depends on the key, the lane and its own mask only.
    """
    if question.legal is None:
        return np.full(question.lanes, NO_ACTION, np.int32)
    action = np.empty(question.lanes, np.int32)
    _random(question.legal.data, question.to_move, np.uint64(key), action)
    return action


def pick_random_rows(legal: Bits, key: int) -> NDArray[np.int32]:
    """Return a random legal action for each row of masks, -1 where nothing is legal.

    All are as likely. A row's draw depends on the key, its place and its own mask only.
    """
    action = np.empty(len(legal), np.int32)
    _random_rows(np.ascontiguousarray(legal.data), np.uint64(key), action)
    return action


@compile_kernel(nogil=True)
def _first(legal, to_move, action):
    for lane in range(legal.shape[0]):
        if not to_move[lane]:
            continue
        action[lane] = -1
        for column in range(legal.shape[1]):
            if legal[lane, column]:
                action[lane] = 8 * column + lowest_one(np.uint64(legal[lane, column]))
                break


@compile_kernel(nogil=True)
def _random(legal, to_move, key, action):
    for lane in range(legal.shape[0]):
        action[lane] = -1
        if to_move[lane]:
            action[lane] = pick_one(legal, lane, word_at(key, lane))


@compile_kernel(nogil=True)
def _random_rows(legal, key, action):
    for row in range(legal.shape[0]):
        action[row] = pick_one(legal, row, word_at(key, row))
