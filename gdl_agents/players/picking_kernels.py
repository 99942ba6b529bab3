"""Loops that pick legal actions on packed masks."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import lowest_one
from gdl_env.engine.batch.mask_rows import pick_one
from gdl_env.play.chance import word_at


@compile_kernel(nogil=True)
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


@compile_kernel(nogil=True)
def pick_random(legal, to_move, key, action):
    """Write a random legal action of each lane that decides, -1 for the others."""
    for lane in range(legal.shape[0]):
        action[lane] = -1
        if to_move[lane]:
            action[lane] = pick_one(legal, lane, word_at(key, lane))


@compile_kernel(nogil=True)
def pick_random_rows(legal, key, action):
    """Write a random legal action of each row, -1 if it has none."""
    for row in range(legal.shape[0]):
        action[row] = pick_one(legal, row, word_at(key, row))
