"""Rows of bits, unpacked by compiled code."""

from __future__ import annotations

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import read_word, spread_word


@compile_kernel(nogil=True)
def unpack_rows(data, out):
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
