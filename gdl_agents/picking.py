"""Legal actions of every lane, picked on packed masks by compiled loops."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.compiling import compile_kernel
from gdl_env.environment.exchange import NO_ACTION, Question


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
    action = np.full(question.lanes, NO_ACTION, np.int32)
    if question.legal is not None:
        _random(question.legal.data, question.to_move, np.uint64(key), action)
    return action


@compile_kernel(nogil=True)
def _first(legal, to_move, action):
    for lane in range(legal.shape[0]):
        if to_move[lane]:
            action[lane] = _nth(legal[lane], 0)


@compile_kernel(nogil=True)
def _random(legal, to_move, key, action):
    for lane in range(legal.shape[0]):
        if not to_move[lane]:
            continue
        count = np.uint64(0)
        for byte in legal[lane]:
            count += np.uint64(_count(byte))
        word = key + np.uint64(lane + 1) * np.uint64(0x9E3779B97F4A7C15)
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        word ^= word >> np.uint64(31)
        action[lane] = _nth(legal[lane], ((word >> np.uint64(32)) * count) >> np.uint64(32))


@compile_kernel(nogil=True)
def _nth(row, rank):
    """Return the place of the bit of this rank, -1 if there is none."""
    left = np.int64(rank)
    for column in range(row.shape[0]):
        count = _count(row[column])
        if left >= count:
            left -= count
            continue
        for place in range(8):
            if row[column] >> place & 1:
                if left == 0:
                    return 8 * column + place
                left -= 1
    return -1


@compile_kernel(nogil=True)
def _count(byte):
    bits = np.int64(byte)
    bits = (bits & 0x55) + (bits >> 1 & 0x55)
    bits = (bits & 0x33) + (bits >> 2 & 0x33)
    return (bits & 0x0F) + (bits >> 4)
