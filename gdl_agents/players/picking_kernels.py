"""Loops that pick legal actions on packed masks."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import read_word
from gdl_env.engine.batch.mask_rows import pick_one
from gdl_env.engine.batch.word_bits import count_ones, find_one, lowest_one
from gdl_env.play.chance import below, word_at

# Random words that fit into the nearest memory.
_DRAWN_AT_ONCE = 512
# Words of a row that are looked at without branches.
_MOST_WORDS = 8


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
    rows, size = legal.shape
    # Of rows up to here, eight bytes may be read at once.
    whole = max(0, rows - 8) if 0 < size <= 8 * _MOST_WORDS else 0
    if whole and size <= 8:
        _pick_words(legal.reshape(-1), size, key, action[:whole])
    elif whole:
        _pick_of_words(legal.reshape(-1), size, key, action[:whole])
    for row in range(whole, rows):
        action[row] = pick_one(legal, row, word_at(key, row))


@compile_kernel(nogil=True)
def _pick_words(flat, size, key, action):
    """Do as `pick_random_rows` where a row is a word at most: `size` bytes."""
    every = ~np.uint64(0) >> np.uint64(64 - 8 * size)
    draws = np.empty(_DRAWN_AT_ONCE, np.uint64)
    for first in range(0, action.shape[0], _DRAWN_AT_ONCE):
        part = action[first : first + _DRAWN_AT_ONCE]
        # By themselves, random words are computed several at a time.
        for k in range(np.uint64(part.shape[0])):
            draws[k] = word_at(key, np.uint64(first) + k)
        for k in range(np.uint64(part.shape[0])):
            word = read_word(flat, (first + np.int64(k)) * size) & every
            place = find_one(word, below(draws[k], count_ones(word)))
            part[k] = place if word else -1


@compile_kernel(nogil=True)
def _pick_of_words(flat, size, key, action):
    """Do as `pick_random_rows` where a row has more than one word, up to `_MOST_WORDS`."""
    count = np.uint64((size + 7) >> 3)
    # The bits of a row in its last word.
    rest = ~np.uint64(0) >> np.uint64(64 * np.int64(count) - 8 * size)
    last = count - np.uint64(1)
    words = np.zeros(_MOST_WORDS, np.uint64)
    # How many actions are legal before each word.
    before = np.zeros(_MOST_WORDS + 1, np.int64)
    draws = np.empty(_DRAWN_AT_ONCE, np.uint64)
    for first in range(0, action.shape[0], _DRAWN_AT_ONCE):
        part = action[first : first + _DRAWN_AT_ONCE]
        for k in range(np.uint64(part.shape[0])):
            draws[k] = word_at(key, np.uint64(first) + k)
        for k in range(np.uint64(part.shape[0])):
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
            part[k] = 64 * np.int64(place) + found if ones else -1
