"""Reading data sets: arrays of positions and games."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.data.columns import OFFSETS, DataColumn, Table, empty_table, join_tables
from gdl_agents.data.data_folder import DataFolder
from gdl_agents.data.errors import DataError
from gdl_agents.data.table_files import read_table


@dataclass(frozen=True)
class DataSet:
    """What a folder holds; see `about['columns']` for what columns mean."""

    # Arrays by column; those of bits are boolean: rows by entries.
    positions: Table
    games: Table
    # What data.json says: roles, facts, entries of observations, moves, and how all was made.
    about: dict[str, Any]

    def to_sequences(self, fill: int = -1) -> NDArray[np.int32]:
        """Return the actions of all games as a matrix, filled up at the end.

        Raises DataError if the data set has no games.
        """
        if OFFSETS not in self.games:
            raise DataError('this data set has no games: make it with --sequences')
        offsets = self.games[OFFSETS]
        sizes = np.diff(offsets)
        made = np.full((len(sizes), int(sizes.max(initial=0))), fill, np.int32)
        row = np.repeat(np.arange(len(sizes)), sizes)
        made[row, np.arange(len(row)) - np.repeat(offsets[:-1], sizes)] = self.games['actions']
        return made


def read_data(folder: Path | str, form: str = '') -> DataSet:
    """Return all of a data set, which `gdl data` made.

    - form: npz or parquet; '': what there is

    Raises DataError, MissingPackageError for Parquet without pyarrow.
    """
    parts = list(read_shards(folder, form))
    about = parts[0].about if parts else DataFolder(Path(folder)).read_about()
    joined = {
        name: join_tables(columns, [getattr(part, name) for part in parts])
        for name, columns in _list_columns(about).items()
    }
    return DataSet(joined['positions'], joined.get('games', {}), about)


def read_shards(folder: Path | str, form: str = '') -> Iterator[DataSet]:
    """Return a data set shard by shard, for one that is larger than the memory."""
    about = DataFolder(Path(folder)).read_about()
    for number in range(len(about['shards'])):
        yield read_shard(folder, number, form)


def read_shard(
    folder: Path | str, number: int, form: str = '', *, is_packed: bool = False
) -> DataSet:
    """Return one shard of a data set; columns of bits as they are stored, 8 a byte, if packed.

    Raises DataError, MissingPackageError for Parquet without pyarrow.
    """
    about = DataFolder(Path(folder)).read_about()
    formats = about['job']['formats']
    if form and form not in formats:
        raise DataError(f'{folder} has no files in the format {form!r}: {", ".join(formats)}')
    tables: dict[str, Table] = {}
    for name, columns in _list_columns(about).items():
        file = Path(folder) / f'{name}-{number:05d}.{form or formats[0]}'
        table = read_table(columns, file)
        held = table if is_packed else _unpack(columns, table)
        tables[name] = {**empty_table(columns), **held}
    return DataSet(tables['positions'], tables.get('games', {}), about)


def _list_columns(about: dict[str, Any]) -> dict[str, tuple[DataColumn, ...]]:
    return {
        name: tuple(DataColumn.from_dict(held) for held in columns)
        for name, columns in about['columns'].items()
    }


def _unpack(columns: tuple[DataColumn, ...], table: Table) -> Table:
    bits = {column.name: column.bits for column in columns if column.bits}
    return {
        name: np.unpackbits(array, axis=-1, count=bits[name], bitorder='little').view(np.bool_)
        if name in bits
        else array
        for name, array in table.items()
    }
