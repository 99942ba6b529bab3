"""Rows of bits, unpacked by compiled code."""

from __future__ import annotations

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import read_word, spread_word


@compile_kernel(nogil=True, makes_arrays=False)
def unpack_rows(data, out):
    """Write one byte for each bit: (rows, bytes) uint8 → (rows, entries) bool."""
    rows, size = out.shape
    width = data.shape[1]
    # Rows after which 64 entries and eight bytes may still be touched.
    whole = rows - 1 - max(64 // max(1, size), 8 // max(1, width))
    if size and whole > 0:
        _unpack_whole(data.reshape(-1), out.reshape(-1), whole, width, size)
    for row in range(max(0, whole), rows):
        for entry in range(size):
            out[row, entry] = (data[row, entry >> 3] >> (entry & 7)) & 1


@compile_kernel(nogil=True, makes_arrays=False)
def _unpack_whole(source, out, rows, width, size):
    """Unpack rows one after the other: what runs over the end of one, the next overwrites."""
    first, place = 0, 0
    if size <= 16:
        for row in range(rows):
            spread_word(out, row * size, read_word(source, row * width), 16)
    elif size <= 32:
        for row in range(rows):
            spread_word(out, row * size, read_word(source, row * width), 32)
    else:
        for _ in range(rows):
            for byte in range(0, width, 8):
                spread_word(out, place + 8 * byte, read_word(source, first + byte), 64)
            first += width
            place += size
