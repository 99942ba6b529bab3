"""Legal actions as packed rows of bytes: one of each row drawn, by compiled code."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import read_word
from gdl_env.engine.batch.word_bits import count_ones, find_one
from gdl_env.play.chance import below

# Words of a row that are looked at without branches.
_MOST_WORDS = 8


@compile_kernel(nogil=True, makes_arrays=False)
def pick_rows(masks, first, draws, action):
    """Draw an action of several rows of masks, as `pick_one` does.

    - masks: (rows, bytes) uint8; first: the row to begin with
    - draws: a random word for each row from there on
    - action: int32 that is filled in: as many rows
    """
    size = masks.shape[1]
    # Of rows up to here, eight bytes may be read at once.
    whole = max(0, min(action.shape[0], masks.shape[0] - 8 - first))
    if size > 8 * _MOST_WORDS or size == 0:
        whole = 0
    elif size <= 8:
        _pick_words(masks.reshape(-1), (first, size), draws, action[:whole])
    else:
        _pick_of_words(masks.reshape(-1), (first, size), draws, action[:whole])
    for row in range(whole, action.shape[0]):
        action[row] = pick_one(masks, first + row, draws[row])


@compile_kernel(nogil=True, makes_arrays=False)
def _pick_words(flat, rows, draws, action):
    """Do as `pick_rows` where a row is a word at most; rows: the first of them, their size."""
    first, size = rows
    every = ~np.uint64(0) >> np.uint64(64 - 8 * size)
    for k in range(np.uint64(action.shape[0])):
        word = read_word(flat, (first + np.int64(k)) * size) & every
        place = find_one(word, below(draws[k], count_ones(word)))
        action[k] = place if word else -1


@compile_kernel(nogil=True)
def _pick_of_words(flat, rows, draws, action):
    """Do as `_pick_words` where a row has more than one word, up to `_MOST_WORDS`."""
    first, size = rows
    count = np.uint64((size + 7) >> 3)
    # The bits of a row in its last word.
    rest = ~np.uint64(0) >> np.uint64(64 * np.int64(count) - 8 * size)
    last = count - np.uint64(1)
    words = np.zeros(_MOST_WORDS, np.uint64)
    # How many actions are legal before each word.
    before = np.zeros(_MOST_WORDS + 1, np.int64)
    for k in range(np.uint64(action.shape[0])):
        start = (first + np.int64(k)) * size
        ones = 0
        for w in range(count):
            word = read_word(flat, start + 8 * np.int64(w))
            words[w] = word & rest if w == last else word
            before[w] = ones
            ones += count_ones(words[w])
        rank = np.int64(below(draws[k], ones))
        place = np.uint64(0)
        for w in range(np.uint64(1), count):
            place += np.uint64(before[w] <= rank)
        found = find_one(words[place], np.uint64(rank - before[place]))
        action[k] = 64 * np.int64(place) + found if ones else -1


@compile_kernel(nogil=True, inline='always', makes_arrays=False)
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


@compile_kernel(nogil=True, makes_arrays=False)
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


@compile_kernel(nogil=True, inline='always', makes_arrays=False)
def _read_part(masks, row, first):
    """Return fewer than eight bytes of a row, or eight, as a word."""
    word = np.uint64(0)
    for place in range(first, masks.shape[1]):
        word |= np.uint64(masks[row, place]) << np.uint64(8 * (place - first))
    return word
