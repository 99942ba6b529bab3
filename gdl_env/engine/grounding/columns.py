"""Tables of integer columns with exact search: the common ground of terms and relations."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ids: TypeAlias = NDArray[np.int32]
Keys: TypeAlias = NDArray[np.uint64]
Mask: TypeAlias = NDArray[np.bool_]

_FACTORS = np.array(
    [
        0x9E3779B97F4A7C15,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0xD6E8FEB86659FD93,
        0xA0761D6478BD642F,
        0xE7037ED1A0B428DB,
        0x8EBC6AF09C88C6E3,
        0x589965CC75374CC3,
    ],
    np.uint64,
)


class CollisionError(Exception):
    """Two different rows have the same key; the caller starts again with another salt."""


def hash_columns(columns: list[Ids], salt: int) -> Keys:
    """Return a 64-bit key for each row."""
    key = np.full(len(columns[0]), salt, np.uint64)
    for index, column in enumerate(columns):
        key ^= column.astype(np.uint64) + np.uint64(1)
        key *= _FACTORS[index % len(_FACTORS)]
        key ^= key >> np.uint64(29)
    return key


class RowTable:
    """Different rows of integers, numbered in the order of their insertion.

    Rows are found by a hash of all columns; every hit is compared column by column, so that the
    answer is exact.
    """

    def __init__(self, width: int, salt: int) -> None:
        self.width = width
        self.count = 0
        self._salt = salt
        self._store = np.zeros((width, 16), np.int32)
        # Keys in order, and the row of each.
        self._keys = np.zeros(0, np.uint64)
        self._rows = np.zeros(0, np.int32)

    def column(self, index: int) -> Ids:
        """Return a column; a view that is valid until the next insertion."""
        return self._store[index, : self.count]

    def columns(self) -> list[Ids]:
        """Return all columns."""
        return [self.column(index) for index in range(self.width)]

    def find(self, columns: list[Ids]) -> Ids:
        """Return the number of each row, -1 for those that are not there."""
        if self.width == 0:
            raise ValueError('a table without columns has no rows to find')
        keys = hash_columns(columns, self._salt)
        if not self.count:
            return np.full(len(keys), -1, np.int32)
        places = np.minimum(np.searchsorted(self._keys, keys), self.count - 1)
        hits = self._keys[places] == keys
        rows = np.where(hits, self._rows[places], -1).astype(np.int32)
        self._compare(columns, rows, hits)
        return rows

    def add(self, columns: list[Ids]) -> Ids:
        """Insert rows that are not there yet; return the number of each row."""
        rows = self.find(columns)
        missing = np.flatnonzero(rows < 0)
        if len(missing):
            fresh = [column[missing] for column in columns]
            keys = hash_columns(fresh, self._salt)
            unique, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
            # Number new rows in the order in which they came, so that results do not depend on
            # the salt.
            order = np.argsort(first, kind='stable')
            rank = np.empty(len(order), np.int32)
            rank[order] = np.arange(len(order), dtype=np.int32)
            numbers = self.count + rank
            self._append([column[first[order]] for column in fresh])
            self._merge(unique, numbers)
            rows[missing] = numbers[inverse]
            self._compare(fresh, rows[missing], np.ones(len(missing), np.bool_))
        return rows

    def _append(self, columns: list[Ids]) -> None:
        wanted = self.count + len(columns[0])
        if wanted > self._store.shape[1]:
            grown = np.zeros((self.width, max(wanted, 2 * self._store.shape[1])), np.int32)
            grown[:, : self.count] = self._store[:, : self.count]
            self._store = grown
        for index, column in enumerate(columns):
            self._store[index, self.count : wanted] = column
        self.count = wanted

    def _merge(self, keys: Keys, rows: Ids) -> None:
        places = np.searchsorted(self._keys, keys)
        self._keys = np.insert(self._keys, places, keys)
        self._rows = np.insert(self._rows, places, rows)

    def _compare(self, columns: list[Ids], rows: Ids, hits: Mask) -> None:
        for index, column in enumerate(columns):
            if np.any(self._store[index, rows[hits]] != column[hits]):
                raise CollisionError
