"""Legal actions as packed rows of bytes: one of them drawn, by compiled code."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import read_word
from gdl_env.engine.batch.word_bits import count_ones, find_one
from gdl_env.play.chance import below


@compile_kernel(nogil=True, inline='always')
def pick_one(masks, row, draw):
    """Return the action that a random word draws in a row of masks, -1 if there is none.

    - masks: (rows, bytes) uint8

    All are as likely.
    """
    size = masks.shape[1]
    if size <= 8:
        word = _read_part(masks, row, 0)
        count = count_ones(word)
        action = find_one(word, below(draw, count)) if count else np.int64(-1)
    else:
        action = _pick_of_many(masks, row, draw)
    return action


@compile_kernel(nogil=True)
def _pick_of_many(masks, row, draw):
    """Do as `pick_one` for more than eight bytes a row."""
    mask = masks[row]
    size = masks.shape[1]
    # The last word may have fewer than eight bytes.
    whole = size & ~7
    count = np.int64(0)
    last = np.uint64(0)
    if whole < size:
        last = read_word(mask, size - 8) >> np.uint64(8 * (8 - (size - whole)))
        count = count_ones(last)
    for first in range(0, whole, 8):
        count += count_ones(read_word(mask, first))
    left = np.int64(below(draw, count))
    for first in range(0, whole, 8):
        word = read_word(mask, first)
        ones = count_ones(word)
        if left < ones:
            return 8 * first + find_one(word, np.uint64(left))
        left -= ones
    return 8 * whole + find_one(last, np.uint64(left)) if last else np.int64(-1)


@compile_kernel(nogil=True, inline='always')
def _read_part(masks, row, first):
    """Return fewer than eight bytes of a row, or eight, as a word."""
    word = np.uint64(0)
    for place in range(first, masks.shape[1]):
        word |= np.uint64(masks[row, place]) << np.uint64(8 * (place - first))
    return word
