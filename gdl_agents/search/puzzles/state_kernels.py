"""A set of rows of words, in compiled code: an index with open addressing."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel


@compile_kernel(nogil=True, makes_arrays=False)
def hash_row(rows, place):
    """Return a number of 64 bits that depends on all words of a row."""
    found = np.uint64(0x9E3779B97F4A7C15)
    for word in range(rows.shape[1]):
        found ^= rows[place, word]
        found *= np.uint64(0xD6E8FEB86659FD93)
        found ^= found >> np.uint64(32)
    return found * np.uint64(0xC2B2AE3D27D4EB4F)


@compile_kernel(nogil=True, makes_arrays=False)
def is_same(rows, place, others, other):
    """Tell whether two rows hold the same words."""
    same = True
    for word in range(rows.shape[1]):
        same = same and rows[place, word] == others[other, word]
    return same


@compile_kernel(nogil=True, makes_arrays=False)
def mark_new(rows, held, index, scratch, is_new):
    """Mark the rows that are not held yet, each only where it comes first.

    - rows: (n, words); held: (at least those of the index, words)
    - index: int32 (a power of two) 1 + the number of a held row, 0 where empty
    - scratch: int32 (a power of two above n), zero
    - is_new: (n) bool, written
    """
    mask, own = np.uint64(index.shape[0] - 1), np.uint64(scratch.shape[0] - 1)
    for place in range(rows.shape[0]):
        code = hash_row(rows, place)
        spot = (code >> np.uint64(20)) & mask
        known = False
        while index[spot] != 0:
            if is_same(rows, place, held, index[spot] - 1):
                known = True
                break
            spot = (spot + np.uint64(1)) & mask
        if not known:
            spot = (code >> np.uint64(20)) & own
            while scratch[spot] != 0:
                if is_same(rows, place, rows, scratch[spot] - 1):
                    known = True
                    break
                spot = (spot + np.uint64(1)) & own
            if not known:
                scratch[spot] = place + 1
        is_new[place] = not known


@compile_kernel(nogil=True, makes_arrays=False)
def enter_rows(held, first, end, index):
    """Enter held rows into the index; none of them may be in it."""
    mask = np.uint64(index.shape[0] - 1)
    for place in range(first, end):
        spot = (hash_row(held, place) >> np.uint64(20)) & mask
        while index[spot] != 0:
            spot = (spot + np.uint64(1)) & mask
        index[spot] = place + 1
