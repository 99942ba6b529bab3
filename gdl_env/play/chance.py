"""Chance that belongs to a place, not to a stream.

Every draw is a function of the seed and of what it is for: the tick, the lane, the seat, the step
within the tick. So a match comes out the same whatever the timing of its agents and the number of
lanes, and nothing but the seed and the answers is needed to repeat it.

The words are those of splitmix64, a counter run through a mixing function.
"""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.play.plain_chance import PLAIN_STEP

# The distance of two counters.
STEP = np.uint64(PLAIN_STEP)
# Seats that are no roles: the draw of whose turn it is, and the first of those for experiments.
TURN_SEAT, EXPERIMENT_SEAT = 254, 256


@compile_kernel(nogil=True, makes_arrays=False)
def mix(word):
    """Return a word that looks random and depends on every bit of the given one (splitmix64)."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@compile_kernel(nogil=True, makes_arrays=False)
def word_at(key, place):
    """Return the random word of a place (counted from 0) under a key."""
    return mix(key + (np.uint64(place) + np.uint64(1)) * STEP)


@compile_kernel(nogil=True, makes_arrays=False)
def below(word, limit):
    """Return a number from 0 up to but without a limit below 2^32; 0 where the limit is 0."""
    return ((word >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32)


@compile_kernel(nogil=True, makes_arrays=False)
def place_of(step, seat, lane):
    """Return the place of a draw within a tick: the step there, the seat, the lane."""
    return (
        (np.uint64(step) << np.uint64(42)) | (np.uint64(seat) << np.uint64(32)) | np.uint64(lane)
    )
