"""Large arrays that are handed out in every step, and written again once nobody has them.

New memory takes longer to touch than to fill. Callers own what they are given: an array is only
written again when nothing refers to it, nor to a part of it.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

# Arrays that are kept: what the caller holds, what the step holds, and one to write.
MOST_ARRAYS = 3


def find_unused(arrays: list[NDArray[Any]]) -> int:
    """Return the place of an array to which nothing but the list refers; -1: there is none."""
    for index in range(len(arrays)):
        if sys.getrefcount(arrays[index]) == _UNUSED:
            return index
    return -1


# What is counted for an array in a list, to which nothing else refers.
_SAMPLE = [np.zeros(1)]
_UNUSED = sys.getrefcount(_SAMPLE[0])


class ArrayPool:
    """Arrays of one shape."""

    def __init__(self, shape: tuple[int, ...], dtype: DTypeLike) -> None:
        self._shape = shape
        self._dtype = np.dtype(dtype)
        self._arrays: list[NDArray[Any]] = []

    def take(self) -> NDArray[Any]:
        """Return an array with any content."""
        index = find_unused(self._arrays)
        if index >= 0:
            return self._arrays[index]
        made = np.empty(self._shape, self._dtype)
        self._arrays = [*self._arrays, made][-MOST_ARRAYS:]
        return made
