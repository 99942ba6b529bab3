"""Chance that belongs to a place, not to a stream.

Every draw is a function of the seed and of what it is for: the tick, the lane, the seat, the step
within the tick. So a match comes out the same whatever the timing of its agents and the number of
lanes, and nothing but the seed and the answers is needed to repeat it.

The words are those of splitmix64, a counter run through a mixing function.
"""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel

# The distance of two counters (2^64 divided by the golden ratio).
STEP = np.uint64(0x9E3779B97F4A7C15)
# Seats that are no roles: the draw of whose turn it is, and the first of those for experiments.
TURN_SEAT, EXPERIMENT_SEAT = 254, 256

_MASK = 2**64 - 1


@compile_kernel(nogil=True)
def mix(word):
    """Return a word that looks random and depends on every bit of the given one (splitmix64)."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@compile_kernel(nogil=True)
def word_at(key, place):
    """Return the random word of a place (counted from 0) under a key."""
    return mix(key + (np.uint64(place) + np.uint64(1)) * STEP)


@compile_kernel(nogil=True)
def below(word, limit):
    """Return a number from 0 up to but without a limit below 2^32; 0 where the limit is 0."""
    return ((word >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32)


@compile_kernel(nogil=True)
def place_of(step, seat, lane):
    """Return the place of a draw within a tick: the step there, the seat, the lane."""
    return (
        (np.uint64(step) << np.uint64(42)) | (np.uint64(seat) << np.uint64(32)) | np.uint64(lane)
    )


def plain_mix(word: int) -> int:
    """Return what `mix` returns, for integers of any size."""
    word &= _MASK
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _MASK
    return word ^ (word >> 31)


def draw_below(key: int, place: int, limit: int) -> int:
    """Return what `below(word_at(key, place), limit)` returns: the error is below 2^-32."""
    word = plain_mix(key + (place + 1) * int(STEP))
    return (word >> 32) * limit >> 32


def plain_place(step: int, seat: int, lane: int) -> int:
    """Return what `place_of` returns."""
    return step << 42 | seat << 32 | lane
