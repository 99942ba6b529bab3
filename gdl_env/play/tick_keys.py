"""The key of all chance of a tick: a function of the seed, and of the ticks since it was set."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.play.chance import mix
from gdl_env.play.plain_chance import MASK, PLAIN_STEP

# A call of compiled code for each tick would take longer than a key does.
_KEYS_AHEAD = 64


class TickKeys:
    """The keys of ticks, each of all draws of one tick. They are computed some ahead."""

    def __init__(self, first_lane: int = 0) -> None:
        # Places of draws are counted by lanes: a cohort, whose lanes count from 0, draws what
        # these lanes of the whole match draw.
        self._offset = np.uint64(first_lane * PLAIN_STEP & MASK)
        self._seed = self._first = 0
        self._known: list[np.uint64] = []

    def find(self, seed: int, tick: int) -> np.uint64:
        """Return the key of a tick, counted from the one at which the seed was set."""
        place = tick - self._first
        if seed != self._seed or not 0 <= place < len(self._known):
            self._seed, self._first = seed, tick
            keys = np.empty(_KEYS_AHEAD, np.uint64)
            _find_keys(np.uint64(seed & MASK), np.uint64(tick & MASK), keys)
            self._known, place = list(keys + self._offset), 0
        return self._known[place]


@compile_kernel(nogil=True, makes_arrays=False)
def _find_keys(seed, tick, keys):
    for k in range(keys.shape[0]):
        keys[k] = mix(seed + mix(tick + np.uint64(k) + np.uint64(1)))
