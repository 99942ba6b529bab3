"""How the memory of a tape is laid out: which row holds what.

Memory is a flat array of 64-bit words; a row is `width` of them, one bit for each state. Every
tape and all machine code keep to this order:

| row | holds |
|---|---|
| ZERO | no bit: false in all states |
| ONE | every bit: true in all states |
| FIRST_INPUT and up | the inputs, in the order in which the tape was given them |
| after the inputs | values that are computed, wherever the compiler puts them |

The inputs of a game are its facts; then come moves or random bits, where a tape takes them.
"""

from __future__ import annotations

from numba.extending import register_jitable
import numpy as np
from numpy.typing import NDArray

ZERO = 0
ONE = 1
FIRST_INPUT = 2

# Words in the longest register, which memory is aligned to.
_ALIGNMENT = 8


@register_jitable  # type: ignore[untyped-decorator]
def input_row(index: int) -> int:
    """Return the row of an input. Callable from compiled code, too."""
    return FIRST_INPUT + index


def make_rows(rows: int, width: int) -> NDArray[np.uint64]:
    """Return memory for rows: aligned, zero except for the row of ones."""
    room = np.zeros(rows * width + _ALIGNMENT, np.uint64)
    first = (-room.ctypes.data // room.itemsize) % _ALIGNMENT
    data = room[first : first + rows * width]
    data[ONE * width : (ONE + 1) * width] = ~np.uint64(0)
    return data
