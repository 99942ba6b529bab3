"""Rows of bits, packed as they travel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import read_word, spread_word
from gdl_env.quick_init import quick_init


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
        _unpack(np.ascontiguousarray(self.data), out)

    def row(self, index: int) -> NDArray[np.bool_]:
        """Return one row, unpacked."""
        bits = np.unpackbits(self.data[index], count=self.size, bitorder='little')
        return bits.view(np.bool_)

    def to_bytes(self) -> bytes:
        """Return the bytes to send."""
        return self.data.tobytes()

    def __len__(self) -> int:
        return len(self.data)


@compile_kernel(nogil=True)
def _unpack(data, out):
    """Write one byte for each bit: (rows, bytes) uint8 → (rows, entries) bool."""
    rows, size = out.shape
    width = data.shape[1]
    flat, source = out.reshape(-1), data.reshape(-1)
    for row in range(rows):
        for byte in range(0, width, 8):
            first, place = row * width + byte, row * size + 8 * byte
            if place + 64 <= flat.shape[0] and first + 8 <= source.shape[0]:
                # What runs over the end of a row is overwritten by the next one.
                spread_word(flat, place, read_word(source, first))
                continue
            for entry in range(8 * byte, min(8 * byte + 64, size)):
                out[row, entry] = (data[row, entry >> 3] >> (entry & 7)) & 1
