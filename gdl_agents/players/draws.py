"""Chance that belongs to a question, not to a stream: asked again, it comes out the same."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from gdl_env.play.plain_chance import MASK, PLAIN_STEP, draw_below

# Draws have this many different outcomes.
_FINE = 2**32
# Of a word, what a number with 53 bits does not hold.
_BITS = np.uint64(11)


def question_key(seed: int, role: str, tick: int, first_lane: int = 0) -> int:
    """Return the 64 bits that decide all chance of a question.

    Where draws are counted by lanes, and a question begins with another than the first lane of
    the match, they are those of these lanes in the whole match.
    """
    digest = blake2b(f'{seed} {tick} {role}'.encode(), digest_size=8).digest()
    return (int.from_bytes(digest, 'little') + first_lane * PLAIN_STEP) & MASK


def derive_seed(seed: int, name: str) -> int:
    """Return a seed that belongs to a name, such as a role, from one that all share."""
    digest = blake2b(f'{seed} {name}'.encode(), digest_size=8).digest()
    return int.from_bytes(digest, 'little') >> 1


def draw_place(likely: NDArray[np.float64], key: int, lane: int) -> int:
    """Draw one of some places, each as likely as it says: by a key, and the number of a lane."""
    mark = draw_below(key, lane, _FINE) / _FINE * likely.sum()
    place = int(np.searchsorted(np.cumsum(likely), mark, side='right'))
    return min(place, len(likely) - 1)


class LaneDraws:
    """Draws for lanes, a row each, that depend on the key and the lane: not on other lanes.

    Has the two methods of `numpy.random.Generator` that agents of many lanes use.
    """

    def __init__(self, key: int, lanes: NDArray[np.integer]) -> None:
        """Begin; the key is that of the question, and the lanes are counted as in it."""
        # One generator a lane: splitmix64 from a state of its own.
        places = lanes.astype(np.uint64) + np.uint64(1)
        self._states = _mix(np.uint64(key & MASK) + places * np.uint64(PLAIN_STEP))
        self._drawn = 0

    def random(self, size: int | tuple[int, ...]) -> NDArray[np.float64]:
        """Return numbers from 0 up to but without 1; the first axis is that of the lanes."""
        shape = (size,) if isinstance(size, int) else tuple(size)
        if shape[0] != len(self._states):
            raise ValueError(f'{shape[0]} rows of draws for {len(self._states)} lanes')
        count = int(np.prod(shape[1:], dtype=np.int64))
        places = np.arange(self._drawn + 1, self._drawn + count + 1, dtype=np.uint64)
        self._drawn += count
        words = _mix(self._states[:, None] + places[None] * np.uint64(PLAIN_STEP))
        drawn: NDArray[np.float64] = (words >> _BITS) * 2.0**-53
        return drawn.reshape(shape)

    def gumbel(self, size: int | tuple[int, ...]) -> NDArray[np.float64]:
        """Return numbers by the standard Gumbel distribution."""
        found: NDArray[np.float64] = -np.log(-np.log1p(-self.random(size)))
        return found


def _mix(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return what `plain_mix` returns, of each word."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    found: NDArray[np.uint64] = words ^ (words >> np.uint64(31))
    return found
