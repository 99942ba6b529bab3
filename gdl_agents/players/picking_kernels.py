"""Loops that pick legal actions on packed masks."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.mask_rows import pick_one, pick_rows
from gdl_env.engine.batch.word_bits import lowest_one
from gdl_env.play.chance import word_at

# Random words that fit into the nearest memory.
_DRAWN_AT_ONCE = 512


@compile_kernel(nogil=True, makes_arrays=False)
def pick_first(legal, to_move, action):
    """Write the lowest legal action of each lane that decides, -1 if it has none."""
    for lane in range(legal.shape[0]):
        if not to_move[lane]:
            continue
        action[lane] = -1
        for column in range(legal.shape[1]):
            if legal[lane, column]:
                action[lane] = 8 * column + lowest_one(np.uint64(legal[lane, column]))
                break


@compile_kernel(nogil=True, makes_arrays=False)
def pick_random(legal, to_move, key, action):
    """Write a random legal action of each lane that decides, -1 for the others."""
    for lane in range(legal.shape[0]):
        action[lane] = -1
        if to_move[lane]:
            action[lane] = pick_one(legal, lane, word_at(key, lane))


@compile_kernel(nogil=True)
def pick_random_rows(legal, key, action):
    """Write a random legal action of each row, -1 if it has none."""
    draws = np.empty(_DRAWN_AT_ONCE, np.uint64)
    for first in range(0, action.shape[0], _DRAWN_AT_ONCE):
        part = action[first : first + _DRAWN_AT_ONCE]
        # By themselves, random words are computed several at a time.
        for k in range(np.uint64(part.shape[0])):
            draws[k] = word_at(key, np.uint64(first) + k)
        pick_rows(legal, first, draws, part)
