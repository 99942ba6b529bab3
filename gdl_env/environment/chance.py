"""The chance of one tick, made when it is first needed: most ticks need none."""

from __future__ import annotations

from typing import Any

import numpy as np


class Chance:
    """A numpy generator that depends on a seed and a tick, and on nothing that came before.

    It has the methods of `numpy.random.Generator`. Making one takes longer than a step of a small
    game.
    """

    def __init__(self, seed: int, tick: int) -> None:
        self._key = seed, tick
        self._generator: np.random.Generator | None = None

    def __getattr__(self, name: str) -> Any:
        if self._generator is None:
            key = np.array(self._key, np.uint64)
            self._generator = np.random.Generator(np.random.Philox(key=key))
        return getattr(self._generator, name)
