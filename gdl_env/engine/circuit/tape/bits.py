"""Places of bits in words, for compiled code."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel

# Multiplying a single bit by this number shifts a different pattern of six bits to the top.
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_PLACE = np.zeros(64, np.int64)
_PLACE[[((1 << k) * 0x03F79D71B4CB0A89 & (2**64 - 1)) >> 58 for k in range(64)]] = range(64)


@compile_kernel(nogil=True)
def lowest_bit(word):
    """Return the place of the lowest bit of a word that is not 0."""
    isolated = word & (~word + np.uint64(1))
    return _PLACE[(isolated * _DE_BRUIJN) >> np.uint64(58)]
