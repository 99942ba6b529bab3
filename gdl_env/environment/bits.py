"""Rows of bits, packed as they travel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_env.late_kernels import find_kernels
from gdl_env.quick_init import quick_init

_KERNELS = 'gdl_env.environment.bit_kernels'


@quick_init
@dataclass(frozen=True)
class Bits:
    """A matrix of bits: one row a lane, each starting on a new byte.

    Entry i of a row is bit (i mod 8), from the least significant, of byte (i div 8).
    """

    # Rows by bytes.
    data: NDArray[np.uint8]
    # Entries of a row.
    size: int

    @classmethod
    def pack(cls, rows: NDArray[np.bool_] | NDArray[np.uint8]) -> Bits:
        """Pack a matrix of zeros and ones."""
        return cls(np.packbits(rows.astype(np.bool_), axis=1, bitorder='little'), rows.shape[1])

    @classmethod
    def from_bytes(cls, data: bytes | memoryview, rows: int, size: int) -> Bits:
        """Read what was sent. Raises ValueError if the length does not fit."""
        width = -(-size // 8)
        flat = np.frombuffer(data, np.uint8)
        if len(flat) != rows * width:
            raise ValueError(
                f'{rows} rows of {size} bits take {rows * width} bytes, not {len(flat)}'
            )
        return cls(flat.reshape(rows, width), size)

    def unpack(self) -> NDArray[np.bool_]:
        """Return the matrix, one entry a byte."""
        out = np.empty((len(self.data), self.size), np.bool_)
        self.unpack_to(out)
        return out

    def unpack_to(self, out: NDArray[np.bool_]) -> None:
        """Write the matrix, one entry a byte, to a contiguous array of its shape."""
        kernels = find_kernels(_KERNELS, len(self.data))
        if kernels is None:
            bits = np.unpackbits(self.data, axis=1, count=self.size, bitorder='little')
            out[:] = bits.view(np.bool_)
        else:
            kernels.unpack_rows(np.ascontiguousarray(self.data), out)

    def row(self, index: int) -> NDArray[np.bool_]:
        """Return one row, unpacked."""
        bits = np.unpackbits(self.data[index], count=self.size, bitorder='little')
        return bits.view(np.bool_)

    def to_bytes(self) -> bytes:
        """Return the bytes to send."""
        return self.data.tobytes()

    def __len__(self) -> int:
        return len(self.data)
