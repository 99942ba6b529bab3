"""The tables of a data set: their columns, and rows as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

# Arrays by the name of their column, all with the same number of rows. The lists of a table share
# one more array, OFFSETS: those of row i are entries offsets[i] to offsets[i + 1].
Table: TypeAlias = dict[str, NDArray[Any]]

POSITIONS, GAMES = 'positions', 'games'
OFFSETS = 'offsets'


@dataclass(frozen=True)
class DataColumn:
    """One column of a table."""

    name: str
    # The name of a NumPy type.
    dtype: str
    meaning: str
    # The shape of one entry; empty for a single number.
    shape: tuple[int, ...] = ()
    # How many bits are packed into the last axis of bytes; 0: bytes are no bits.
    bits: int = 0
    # Whether an entry is a list of numbers, of any length.
    is_list: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the column for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, held: dict[str, Any]) -> DataColumn:
        """Return the column that `to_dict` described."""
        return cls(**{**held, 'shape': tuple(held['shape'])})

    @property
    def kind(self) -> str:
        """Return the type in words, for people."""
        if self.is_list:
            return f'list of {self.dtype}'
        if self.bits:
            *outer, _ = self.shape
            return ' by '.join(map(str, [*outer, f'{self.bits} bits']))
        return ' by '.join([*map(str, self.shape), self.dtype])


def packed(name: str, bits: int, meaning: str, outer: tuple[int, ...] = ()) -> DataColumn:
    """Return a column of bits, packed as `Bits` packs them."""
    return DataColumn(name, 'uint8', meaning, (*outer, -(-bits // 8)), bits)


def empty_table(columns: Sequence[DataColumn]) -> Table:
    """Return a table without rows."""
    table: Table = {column.name: np.zeros((0, *column.shape), column.dtype) for column in columns}
    if any(column.is_list for column in columns):
        table[OFFSETS] = np.zeros(1, np.int64)
    return table


def join_tables(columns: Sequence[DataColumn], tables: Sequence[Table]) -> Table:
    """Return all rows, one table after the other."""
    if not tables:
        return empty_table(columns)
    joined = {c.name: np.concatenate([table[c.name] for table in tables]) for c in columns}
    if OFFSETS in tables[0]:
        sizes = np.concatenate([np.diff(table[OFFSETS]) for table in tables])
        joined[OFFSETS] = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return joined


def select_rows(
    columns: Sequence[DataColumn], table: Table, rows: NDArray[np.integer[Any]]
) -> Table:
    """Return some rows of a table, in this order."""
    found: Table = {}
    if OFFSETS in table:
        offsets = table[OFFSETS]
        sizes = np.diff(offsets)[rows]
        found[OFFSETS] = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        # Entry k of a chosen list lies k after where the list begins.
        within = np.arange(int(sizes.sum())) - np.repeat(found[OFFSETS][:-1], sizes)
        entries = np.repeat(offsets[:-1][rows], sizes) + within
    for column in columns:
        found[column.name] = table[column.name][entries if column.is_list else rows]
    return found


def count_rows(columns: Sequence[DataColumn], table: Table) -> int:
    """Return how many rows a table has."""
    return len(table[next(column.name for column in columns if not column.is_list)])
