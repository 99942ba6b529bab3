"""States that were met: kept whole, so that no two are ever taken for the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.puzzles.state_kernels import enter_rows, mark_new
from gdl_env.engine.batch.contract import States

_SMALLEST = 1_024


class StateSet:
    """Rows of words, numbered as they come."""

    def __init__(self, words: int) -> None:
        self._held = np.zeros((_SMALLEST, words), np.uint64)
        self._index = np.zeros(4 * _SMALLEST, np.int32)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        """Return how many bytes are taken."""
        return self._held.nbytes + self._index.nbytes

    def find_new(self, rows: States) -> NDArray[np.bool_]:
        """Tell which rows are not held, and come first among equal ones."""
        is_new = np.zeros(len(rows), np.bool_)
        scratch = np.zeros(1 << (2 * len(rows) + 1).bit_length(), np.int32)
        mark_new(np.ascontiguousarray(rows), self._held, self._index, scratch, is_new)
        return is_new

    def add(self, rows: States) -> None:
        """Add rows, none of which is held; they get the next numbers."""
        first, end = self._count, self._count + len(rows)
        if end > len(self._held):
            larger = np.zeros((2 * end, self._held.shape[1]), np.uint64)
            larger[:first] = self._held[:first]
            self._held = larger
        self._held[first:end] = rows
        self._count = end
        if 2 * end > len(self._index):
            self._index = np.zeros(1 << (4 * end).bit_length(), np.int32)
            first = 0
        enter_rows(self._held, first, end, self._index)
