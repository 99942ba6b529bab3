"""Bits of one 64-bit word, for compiled code: how many, where, and laid elsewhere."""

from __future__ import annotations

from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic
import numpy as np

from gdl_env.compiling import compile_kernel


@intrinsic
def count_ones(context, word):
    """Return how many bits of a 64-bit word are set."""
    signature = types.int64(types.uint64)

    def generate(context, builder, signature, args):
        return builder.ctpop(args[0])

    return signature, generate


@intrinsic
def lowest_one(context, word):
    """Return the place of the lowest bit that is set; 64 if none is."""
    signature = types.int64(types.uint64)

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return signature, generate


# Whether the processor has instructions that lay bits where those of a mask are set, and back.
_HAS_DEPOSIT = not config.CPU_NAME and bool(get_host_cpu_features().get('bmi2'))


@intrinsic
def _deposit(context, bits, mask):
    signature = types.uint64(types.uint64, types.uint64)

    def generate(context, builder, signature, args):
        word = ir.IntType(64)
        kind = ir.FunctionType(word, [word, word])
        function = cgutils.get_or_insert_function(builder.module, kind, 'llvm.x86.bmi.pdep.64')
        return builder.call(function, args)

    return signature, generate


@compile_kernel(nogil=True, makes_arrays=False)
def deposit_bits(bits, mask):
    """Return a word with the lowest bits of `bits` where those of a mask are set."""
    if _HAS_DEPOSIT:
        return _deposit(bits, mask)
    found = np.uint64(0)
    while mask:
        bit = mask & (~mask + np.uint64(1))
        mask ^= bit
        found |= bit if bits & np.uint64(1) else np.uint64(0)
        bits >>= np.uint64(1)
    return found


@intrinsic
def _extract(context, word, mask):
    signature = types.uint64(types.uint64, types.uint64)

    def generate(context, builder, signature, args):
        word = ir.IntType(64)
        kind = ir.FunctionType(word, [word, word])
        function = cgutils.get_or_insert_function(builder.module, kind, 'llvm.x86.bmi.pext.64')
        return builder.call(function, args)

    return signature, generate


@compile_kernel(nogil=True, makes_arrays=False)
def extract_bits(word, mask):
    """Return the bits of a word where those of a mask are set, side by side, lowest first."""
    if _HAS_DEPOSIT:
        return _extract(word, mask)
    found = np.uint64(0)
    place = np.uint64(0)
    while mask:
        bit = mask & (~mask + np.uint64(1))
        mask ^= bit
        found |= np.uint64(1) << place if word & bit else np.uint64(0)
        place += np.uint64(1)
    return found


@compile_kernel(nogil=True, makes_arrays=False)
def find_one(word, rank):
    """Return the place of the bit of this rank (uint64), of which there must be one."""
    if _HAS_DEPOSIT:
        return lowest_one(_deposit(np.uint64(1) << rank, word))
    return _find_one(word, rank)


# A one in every byte, and the highest bit of every byte.
_ONES, _HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
# Entry 256 * rank + byte: the place of the bit of this rank in a byte.
_PLACES = np.array(
    [
        ([place for place in range(8) if byte >> place & 1] + [0] * 8)[rank]
        for rank in range(8)
        for byte in range(256)
    ],
    np.uint8,
)


@compile_kernel(nogil=True, makes_arrays=False)
def _find_one(word, rank):
    """Do as `find_one` on any processor, without branches.

    How many bits are set up to each byte of the word, then a table for the byte.
    """
    sums = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    pairs = np.uint64(0x3333333333333333)
    sums = (sums & pairs) + ((sums >> np.uint64(2)) & pairs)
    sums = ((sums + (sums >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)) * _ONES
    # The highest bit of a byte is left where no more than `rank` bits are set up to it.
    before = ((rank * _ONES | _HIGHS) - sums) & _HIGHS
    place = np.uint64(8 * count_ones(before))
    rest = rank - ((sums << np.uint64(8)) >> place & np.uint64(255))
    return np.int64(place) + _PLACES[rest << np.uint64(8) | (word >> place & np.uint64(255))]
