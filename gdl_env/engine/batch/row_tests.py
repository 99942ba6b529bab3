"""Rows of a few words, taken as a whole: a few instructions where registers are wide."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
import numpy as np

from gdl_env.compiling import compile_kernel


def _point_to(context, builder, array_type, array, place, size):
    """Return a pointer to the vector of `size` words from a place of an array on."""
    held = context.make_array(array_type)(context, builder, array)
    pointer = builder.gep(held.data, [place])
    return builder.bitcast(pointer, ir.VectorType(ir.IntType(64), size).as_pointer())


def _find_vector(context, builder, array_type, array, place, size):
    """Return the vector of `size` words from a place of an array on."""
    pointer = _point_to(context, builder, array_type, array, place, size)
    return builder.load(pointer, align=8)


def _join_words(builder, vector):
    """Return the bits that any word of a vector has."""
    word = ir.IntType(64)
    size = vector.type.count
    function = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(word, [vector.type]),
        f'llvm.vector.reduce.or.v{size}i64',
    )
    return builder.call(function, [vector])


@intrinsic(prefer_literal=True)
def _join_chosen(context, row, place, mask, size):
    """Return the bits that any of `size` words of a row has where those of a mask are set."""
    signature = types.uint64(row, types.int64, mask, size)

    def generate(context, builder, signature, args):
        count = size.literal_value
        nothing = ir.Constant(ir.IntType(64), 0)
        held = _find_vector(context, builder, signature.args[0], args[0], args[1], count)
        chosen = _find_vector(context, builder, signature.args[2], args[2], nothing, count)
        return _join_words(builder, builder.and_(held, chosen))

    return signature, generate


@intrinsic(prefer_literal=True)
def _join_differences(context, one, other, place, size):
    """Return the bits in which any of `size` words of two rows differ."""
    signature = types.uint64(one, other, types.int64, size)

    def generate(context, builder, signature, args):
        count = size.literal_value
        first = _find_vector(context, builder, signature.args[0], args[0], args[2], count)
        second = _find_vector(context, builder, signature.args[1], args[1], args[2], count)
        return _join_words(builder, builder.xor(first, second))

    return signature, generate


@intrinsic(prefer_literal=True)
def _keep(context, row, place, mask, size):
    """Do as `keep_words` for a constant size."""
    signature = types.void(row, types.int64, mask, size)

    def generate(context, builder, signature, args):
        count = size.literal_value
        nothing = ir.Constant(ir.IntType(64), 0)
        target = _point_to(context, builder, signature.args[0], args[0], args[1], count)
        kept = _find_vector(context, builder, signature.args[2], args[2], nothing, count)
        held = builder.load(target, align=8)
        builder.store(builder.and_(held, kept), target, align=8)
        return context.get_dummy_value()

    return signature, generate


@compile_kernel(nogil=True, inline='always')
def has_any(row, place, mask):
    """Tell whether words of a row, from a place on, have any bit of a mask of as many words."""
    width = mask.shape[0]
    if width == 8:
        return _join_chosen(row, place, mask, 8) != np.uint64(0)
    if width == 4:
        return _join_chosen(row, place, mask, 4) != np.uint64(0)
    found = np.uint64(0)
    for w in range(width):
        found |= row[place + w] & mask[w]
    return found != np.uint64(0)


@compile_kernel(nogil=True, inline='always')
def are_equal(one, other, place, width):
    """Tell whether `width` words of two rows are equal, from the same place on."""
    if width == 8:
        return _join_differences(one, other, place, 8) == np.uint64(0)
    if width == 4:
        return _join_differences(one, other, place, 4) == np.uint64(0)
    found = np.uint64(0)
    for w in range(width):
        found |= one[place + w] ^ other[place + w]
    return found == np.uint64(0)


@compile_kernel(nogil=True, inline='always')
def keep_words(row, place, mask):
    """Clear the bits of words of a row, from a place on, that a mask of as many words lacks."""
    width = mask.shape[0]
    if width == 8:
        _keep(row, place, mask, 8)
    elif width == 4:
        _keep(row, place, mask, 4)
    else:
        for w in range(width):
            row[place + w] &= mask[w]
