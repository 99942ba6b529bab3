"""Rows of a few words, taken as a whole: a few instructions where registers are wide.

A row lies in a flat array of 64-bit words, from a place on. Compilers would take its words one by
one: they do not dare otherwise, since the arrays might overlap.
"""

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


# ---- tests


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


@compile_kernel(nogil=True, inline='always', makes_arrays=False)
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


@compile_kernel(nogil=True, inline='always', makes_arrays=False)
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


# ---- operations


@compile_kernel(nogil=True, makes_arrays=False)
def copy_items(source, target):
    """Copy an array of one dimension; `target[:] = source` counts references."""
    for k in range(np.uint64(source.shape[0])):
        target[k] = source[k]


def _make_operation(operate):
    """Return what writes the result of an operation on two rows, for compiled code.

    It takes (out, one, other, places, width):

    - places: three int64, where in `out`, `one` and `other` the rows begin
    - width: words of a row
    """

    @intrinsic
    def combine(context, out, one, other, places, width):
        signature = types.void(out, one, other, places, types.int64)

        def generate(context, builder, signature, args):
            arrays = list(zip(signature.args[:3], args[:3], strict=True))
            places = cgutils.unpack_tuple(builder, args[3], 3)

            def write(size, offset):
                spots = [builder.add(place, offset) for place in places]
                first, second = (
                    _find_vector(context, builder, *arrays[k], spots[k], size) for k in (1, 2)
                )
                pointer = _point_to(context, builder, *arrays[0], spots[0], size)
                builder.store(operate(builder, first, second), pointer, align=8)

            number, left = args[4].type, args[4]
            for size in (8, 4):
                is_whole = builder.icmp_signed('==', args[4], ir.Constant(number, size))
                with builder.if_then(is_whole):
                    write(size, ir.Constant(number, 0))
                left = builder.select(is_whole, ir.Constant(number, 0), left)
            with cgutils.for_range(builder, left) as loop:
                write(1, loop.index)
            return context.get_dummy_value()

        return signature, generate

    return combine


# The bits that both rows have, that one of them has, and that the first has and not the other.
meet_words = _make_operation(lambda builder, one, other: builder.and_(one, other))
join_words = _make_operation(lambda builder, one, other: builder.or_(one, other))
drop_words = _make_operation(lambda builder, one, other: builder.and_(one, builder.not_(other)))


@intrinsic(prefer_literal=True)
def _choose(context, out, yes, no, mask, places, size):
    """Do as `choose_words` for a constant size."""
    signature = types.void(out, yes, no, mask, places, size)

    def generate(context, builder, signature, args):
        count = size.literal_value
        nothing = ir.Constant(ir.IntType(64), 0)
        target, first, second = cgutils.unpack_tuple(builder, args[4], 3)
        chosen = _find_vector(context, builder, signature.args[3], args[3], nothing, count)
        given = _find_vector(context, builder, signature.args[1], args[1], first, count)
        kept = _find_vector(context, builder, signature.args[2], args[2], second, count)
        found = builder.or_(builder.and_(given, chosen), builder.and_(kept, builder.not_(chosen)))
        pointer = _point_to(context, builder, signature.args[0], args[0], target, count)
        builder.store(found, pointer, align=8)
        return context.get_dummy_value()

    return signature, generate


@compile_kernel(nogil=True, inline='always', makes_arrays=False)
def choose_words(out, yes, no, mask, places):
    """Write the bits of `yes` where those of a mask are set, else of `no`.

    - mask: as many words as are written
    - places: three int64, where in `out`, `yes` and `no` the rows begin
    """
    width = mask.shape[0]
    if width == 8:
        _choose(out, yes, no, mask, places, 8)
    elif width == 4:
        _choose(out, yes, no, mask, places, 4)
    else:
        for w in range(width):
            found = (yes[places[1] + w] & mask[w]) | (no[places[2] + w] & ~mask[w])
            out[places[0] + w] = found
