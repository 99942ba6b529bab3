"""Rows of words, numbered as they come: an exact table in compiled code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel
from gdl_env.play.chance import mix

_FIRST_SIZE = 1 << 12


class RowIndex:
    """Numbers different rows from 0 on."""

    def __init__(self, words: int) -> None:
        self.rows = np.zeros((_FIRST_SIZE, words), np.uint64)
        self._places = np.full(2 * _FIRST_SIZE, -1, np.int64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, rows: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the numbers of rows; those that are new get the next ones."""
        needed = self._count + len(rows)
        if needed > len(self.rows):
            size = 1 << needed.bit_length()
            grown = np.zeros((size, self.rows.shape[1]), np.uint64)
            grown[: self._count] = self.rows[: self._count]
            self.rows = grown
            self._places = np.full(2 * size, -1, np.int64)
            numbers = np.empty(self._count, np.int64)
            # They are in the table already: only their places are new.
            _add_rows(grown[: self._count], self.rows, self._places, 0, numbers)
        numbers = np.empty(len(rows), np.int64)
        held = np.ascontiguousarray(rows)
        self._count = int(_add_rows(held, self.rows, self._places, self._count, numbers))
        return numbers

    def find(self, rows: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the numbers of rows, -1 for those that are not known."""
        numbers = np.empty(len(rows), np.int64)
        _find_rows(np.ascontiguousarray(rows), self.rows, self._places, numbers)
        return numbers


@compile_kernel(nogil=True)
def _hash_row(row):
    word = np.uint64(0)
    for k in range(row.shape[0]):
        word = mix(word + row[k] + np.uint64(0x9E3779B97F4A7C15))
    return word


@compile_kernel(nogil=True)
def _is_same(one, other):
    same = True
    for k in range(one.shape[0]):
        same = same and one[k] == other[k]
    return same


@compile_kernel(nogil=True)
def _add_rows(rows, known, places, count, numbers):
    """Give rows their numbers; copy new ones to `known`. Return how many are known then."""
    mask = np.uint64(places.shape[0] - 1)
    for i in range(rows.shape[0]):
        place = _hash_row(rows[i]) & mask
        while places[place] >= 0 and not _is_same(known[places[place]], rows[i]):
            place = (place + np.uint64(1)) & mask
        if places[place] < 0:
            places[place] = count
            known[count] = rows[i]
            count += 1
        numbers[i] = places[place]
    return count


@compile_kernel(nogil=True)
def _find_rows(rows, known, places, numbers):
    mask = np.uint64(places.shape[0] - 1)
    for i in range(rows.shape[0]):
        place = _hash_row(rows[i]) & mask
        while places[place] >= 0 and not _is_same(known[places[place]], rows[i]):
            place = (place + np.uint64(1)) & mask
        numbers[i] = places[place]
