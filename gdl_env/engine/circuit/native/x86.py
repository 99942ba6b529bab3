"""Instructions of x86-64 as bytes: AVX2 (VEX, 256 bits) and AVX-512 (EVEX, 512 bits).

Instructions are listed as rows of numbers, which `encode` turns into bytes. Operations are map,
prefix and opcode. Memory is RDI or RSI plus a displacement in bytes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel

# What stands in the place of a register: memory.
RDI, RSI = -1, -2

# Maps 0F, 0F38 and 0F3A have the numbers 1 to 3, the prefixes 66 and F3 the numbers 1 and 2.
AND, OR, XOR, ANDNOT, ADD = 0x101DB, 0x101EB, 0x101EF, 0x101DF, 0x101D4
_LOAD, _STORE = 0x1026F, 0x1027F
_TERNARY = 0x30125
_SHIFT, _ROTATE = 0x10173, 0x10172
_TEST_AVX2, _TEST_AVX512 = 0x20117, 0x20127
# Not instructions of that form.
_JUMP, _ENTER, _LEAVE = -1, -2, -3

_LONGEST = 12

# Columns of a listing. RM is a register, or RDI or RSI for memory; an immediate of -1 is none.
_OPERATION, _REG, _OTHER, _RM, _DISPLACEMENT, _IMMEDIATE = range(6)


class Listing(NamedTuple):
    """Instructions, one a row, as they are appended."""

    # int64, shape (room, 6): operation, register, other register, register or memory,
    # displacement, immediate.
    rows: NDArray[np.int64]
    # int64, shape (1): how many rows there are.
    size: NDArray[np.int64]


def make_listing(gates: int, rows: int) -> Listing:
    """Return an empty listing, with room for gates and for work on rows of memory."""
    return Listing(np.empty((10 * gates + 16 * rows + 256, 6), np.int64), np.zeros(1, np.int64))


@compile_kernel()
def _put(listing, operation, reg, other, rm, displacement, immediate):
    rows, row = listing.rows, listing.size[0]
    rows[row, _OPERATION] = operation
    rows[row, _REG] = reg
    rows[row, _OTHER] = other
    rows[row, _RM] = rm
    rows[row, _DISPLACEMENT] = displacement
    rows[row, _IMMEDIATE] = immediate
    listing.size[0] = row + 1


@compile_kernel()
def load(listing, target, base, displacement):
    """Load a register."""
    _put(listing, _LOAD, target, 0, base, displacement, -1)


@compile_kernel()
def store(listing, source, base, displacement):
    """Store a register."""
    _put(listing, _STORE, source, 0, base, displacement, -1)


@compile_kernel()
def move(listing, target, source):
    """Copy a register."""
    _put(listing, _LOAD, target, 0, source, 0, -1)


@compile_kernel()
def operate(listing, operation, target, first, second, displacement):
    """Append target = first op second; the second may be memory."""
    _put(listing, operation, target, first, second, displacement, -1)


@compile_kernel()
def ternary(listing, table, target, second, third, displacement):
    """Append target = table(target, second, third); the third may be memory; AVX-512 only."""
    _put(listing, _TERNARY, target, second, third, displacement, table)


@compile_kernel()
def shift_left(listing, target, source, bits):
    """Shift 64-bit words."""
    _put(listing, _SHIFT, 6, target, source, 0, bits)


@compile_kernel()
def rotate_left(listing, wide, target, source, bits, spare):
    """Rotate 64-bit words; AVX2 needs a spare register."""
    if wide:
        _put(listing, _ROTATE, 1, target, source, 0, bits)
    else:
        shift_left(listing, spare, source, bits)
        _put(listing, _SHIFT, 2, target, source, 0, 64 - bits)
        operate(listing, OR, target, target, spare, 0)


@compile_kernel()
def jump_if_any(listing, wide, register, row):
    """Jump back to a row of the listing if any bit of a register is set."""
    if wide:
        _put(listing, _TEST_AVX512, 1, register, register, 0, -1)
    else:
        _put(listing, _TEST_AVX2, register, 0, register, 0, -1)
    _put(listing, _JUMP, row, 0, 0, 0, -1)


@compile_kernel()
def enter(listing, bias):
    """Begin a function; RDI points that far behind the start of the memory then."""
    _put(listing, _ENTER, 0, 0, 0, bias, -1)


@compile_kernel()
def leave(listing):
    """End a function."""
    _put(listing, _LEAVE, 0, 0, 0, 0, -1)


@compile_kernel()
def encode(listing, wide):
    """Return the bytes of a listing, and where each of its rows begins."""
    rows, length = listing.rows, listing.size[0]
    code = np.empty(length * _LONGEST, np.uint8)
    starts = np.zeros(length, np.int64)
    at = 0
    for k in range(length):
        starts[k] = at
        operation, reg, other = rows[k, _OPERATION], rows[k, _REG], rows[k, _OTHER]
        rm, displacement = rows[k, _RM], rows[k, _DISPLACEMENT]
        immediate = rows[k, _IMMEDIATE]
        if operation >= 0:
            at = _prefix(code, at, wide, operation, reg, other, max(rm, 0))
            code[at] = operation & 0xFF
            at += 1
            if rm >= 0:
                code[at] = 0xC0 | (reg & 7) << 3 | (rm & 7)
                at += 1
            else:
                at = _memory(code, at, wide, reg, rm, displacement)
            if immediate >= 0:
                code[at] = immediate
                at += 1
        elif operation == _JUMP:
            if wide:
                # kortestw k1, k1
                at = _int32(code, at, 0xC998F8C5)
            # jnz
            code[at], code[at + 1] = 0x0F, 0x85
            at = _int32(code, at + 2, starts[reg] - (at + 6))
        elif operation == _ENTER:
            # add rdi, displacement
            code[at], code[at + 1], code[at + 2] = 0x48, 0x81, 0xC7
            at = _int32(code, at + 3, displacement)
        else:
            # vzeroupper; ret
            at = _int32(code, at, 0xC377F8C5)
    return code[:at], starts


@compile_kernel()
def _int32(code, at, number):
    for k in range(4):
        code[at + k] = (number >> (8 * k)) & 0xFF
    return at + 4


@compile_kernel()
def _prefix(code, at, wide, operation, reg, other, rm):
    """Append the prefix, in which the high bits of registers are inverted."""
    opmap, prefix = operation >> 16, (operation >> 8) & 3
    high = ((~reg >> 3) & 1) << 7
    if wide:
        code[at] = 0x62
        code[at + 1] = (
            high | ((~rm >> 4) & 1) << 6 | ((~rm >> 3) & 1) << 5 | ((~reg >> 4) & 1) << 4 | opmap
        )
        code[at + 2] = 0x84 | (~other & 15) << 3 | prefix
        code[at + 3] = 0x40 | ((~other >> 4) & 1) << 3
        return at + 4
    if rm < 8 and opmap == 1:
        code[at] = 0xC5
        code[at + 1] = high | (~other & 15) << 3 | 4 | prefix
        return at + 2
    code[at] = 0xC4
    code[at + 1] = high | 0x40 | ((~rm >> 3) & 1) << 5 | opmap
    code[at + 2] = (~other & 15) << 3 | 4 | prefix
    return at + 3


@compile_kernel()
def _memory(code, at, wide, reg, rm, displacement):
    base = 7 if rm == RDI else 6
    # AVX-512 counts short displacements in whole registers.
    short = displacement >> 6 if wide else displacement
    if -128 <= short <= 127:
        code[at] = 0x40 | (reg & 7) << 3 | base
        code[at + 1] = short & 0xFF
        return at + 2
    code[at] = 0x80 | (reg & 7) << 3 | base
    return _int32(code, at + 1, displacement)
