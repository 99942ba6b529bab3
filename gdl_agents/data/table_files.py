"""Tables as files: NumPy's .npz, and Parquet, which other tools read."""

from __future__ import annotations

from collections.abc import Sequence
import io
from pathlib import Path
from typing import Any
import zipfile
import zlib

import numpy as np
from numpy.typing import NDArray

from gdl_agents.data.columns import OFFSETS, DataColumn, Table
from gdl_agents.data.errors import DataError
from gdl_agents.data.job import NPZ, PARQUET
from gdl_env.requirements import PYARROW, require

# What reading a file may raise that holds something else.
_DAMAGE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)


def require_format(name: str) -> None:
    """Check that a format can be written and read here. Raises MissingPackageError."""
    if name == PARQUET:
        require('the format parquet', PYARROW)


def to_bytes(columns: Sequence[DataColumn], table: Table, form: str) -> bytes:
    """Return a table as the bytes of a file; the same table always gives the same bytes."""
    stream = io.BytesIO()
    if form == NPZ:
        # As `np.savez_compressed`, which takes twice as long to save a few more bytes.
        with zipfile.ZipFile(stream, 'w', zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name in _array_names(columns):
                with archive.open(f'{name}.npy', 'w', force_zip64=True) as entry:
                    np.lib.format.write_array(entry, table[name], allow_pickle=False)
    else:
        _write_parquet(stream, columns, table)
    return stream.getvalue()


def read_table(columns: Sequence[DataColumn], path: Path) -> Table:
    """Read a file that `to_bytes` made. Raises DataError."""
    try:
        if path.suffix == f'.{NPZ}':
            with path.open('rb') as stream, np.load(stream, allow_pickle=False) as held:
                return {name: held[name] for name in _array_names(columns)}
        return _read_parquet(columns, path)
    except _DAMAGE as error:
        raise DataError(f'{path} cannot be read: {error}') from error


def _array_names(columns: Sequence[DataColumn]) -> list[str]:
    lists = [OFFSETS] if any(column.is_list for column in columns) else []
    return [*(column.name for column in columns), *lists]


# ---- Parquet


def _write_parquet(stream: io.BytesIO, columns: Sequence[DataColumn], table: Table) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays = [_to_arrow(pa, column, table) for column in columns]
    made = pa.Table.from_arrays(arrays, [column.name for column in columns])
    pq.write_table(made, stream, compression='zstd')


def _to_arrow(pa: Any, column: DataColumn, table: Table) -> Any:
    """Return a column as Arrow has it: bits as binary of a fixed size."""
    data = table[column.name]
    kind = pa.from_numpy_dtype(data.dtype)
    if column.is_list:
        offsets = pa.array(table[OFFSETS], pa.int32())
        return pa.ListArray.from_arrays(offsets, pa.array(data, kind))
    if not column.shape:
        return pa.array(data, kind)
    width = int(np.prod(column.shape))
    flat = np.ascontiguousarray(data).reshape(-1)
    if column.bits:
        size = pa.binary(width)
        return pa.FixedSizeBinaryArray.from_buffers(size, len(data), [None, pa.py_buffer(flat)])
    return pa.FixedSizeListArray.from_arrays(pa.array(flat, kind), width)


def _read_parquet(columns: Sequence[DataColumn], path: Path) -> Table:
    require_format(PARQUET)
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        held = pq.read_table(path, columns=[column.name for column in columns])
    except (pa.ArrowException, OSError) as error:
        raise DataError(f'{path} cannot be read: {error}') from error
    table: Table = {}
    for column in columns:
        array = held.column(column.name).combine_chunks()
        if column.is_list:
            table[OFFSETS] = array.offsets.to_numpy().astype(np.int64)
            table[column.name] = _to_numpy(array.values, column)
        elif column.bits:
            table[column.name] = _read_bytes(array, column)
        elif column.shape:
            table[column.name] = _to_numpy(array.flatten(), column).reshape(-1, *column.shape)
        else:
            table[column.name] = _to_numpy(array, column)
    return table


def _to_numpy(array: Any, column: DataColumn) -> NDArray[Any]:
    found: NDArray[Any] = array.to_numpy(zero_copy_only=False).astype(column.dtype, copy=False)
    return found


def _read_bytes(array: Any, column: DataColumn) -> NDArray[np.uint8]:
    width = int(np.prod(column.shape))
    if not width:
        return np.zeros((len(array), *column.shape), np.uint8)
    flat = np.frombuffer(array.buffers()[1], np.uint8)
    start = array.offset * width
    return flat[start : start + len(array) * width].reshape(-1, *column.shape)
