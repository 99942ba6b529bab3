"""Eight squares of bits side by side, turned over together.

A row is eight words, as in the memory of a tape: word w of the rows is square w. All squares take
the same steps, so that a processor with wide registers works on them at once. Squares may have
fewer than 64 rows: then each word of a row holds several squares of that size, and 64 lanes come
to lie in the parts of fewer words; see `lane_word`.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
import numpy as np

from gdl_env.compiling import compile_kernel

# Words of a row.
ACROSS = 8


@intrinsic(prefer_literal=True)
def _exchange(context, rows, first, count, distance):
    """Do the steps of a transpose between rows that lie `distance` rows apart.

    - rows: words, eight to a row; first: the word where the first row begins
    - count, distance: constants, powers of two
    """
    signature = types.void(rows, types.int64, count, distance)

    def generate(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        word = ir.IntType(64)
        vector = ir.VectorType(word, ACROSS)
        unit = distance.literal_value
        places, held = [], []
        for index in range(count.literal_value):
            offset = ir.Constant(word, index * unit * ACROSS)
            pointer = builder.gep(array.data, [builder.add(args[1], offset)])
            places.append(builder.bitcast(pointer, vector.as_pointer()))
            held.append(builder.load(places[-1], align=8))
        step = count.literal_value // 2
        while step:
            bits = step * unit
            shift = ir.Constant(vector, [bits] * ACROSS)
            # The bits whose place in a word lacks `bits`.
            kept = sum(1 << place for place in range(64) if not place & bits)
            mask = ir.Constant(vector, [kept] * ACROSS)
            for index in range(count.literal_value):
                if not index & step:
                    low, high = held[index], held[index + step]
                    changed = builder.and_(builder.xor(builder.lshr(low, shift), high), mask)
                    held[index] = builder.xor(low, builder.shl(changed, shift))
                    held[index + step] = builder.xor(high, changed)
            step //= 2
        for place, row in zip(places, held, strict=True):
            builder.store(row, place, align=8)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def _add(context, rows, place, source, first, mask, begin):
    """Do as `add_row` for a whole row."""
    number = types.int64
    signature = types.void(rows, number, source, number, mask, number)

    def generate(context, builder, signature, args):
        vector = ir.VectorType(ir.IntType(64), ACROSS)

        def find(index):
            array = context.make_array(signature.args[index])(context, builder, args[index])
            pointer = builder.gep(array.data, [args[index + 1]])
            return builder.bitcast(pointer, vector.as_pointer())

        target = find(0)
        given = builder.and_(builder.load(find(2), align=8), builder.load(find(4), align=8))
        builder.store(builder.or_(builder.load(target, align=8), given), target, align=8)
        return context.get_dummy_value()

    return signature, generate


@compile_kernel(nogil=True, inline='always', makes_arrays=False)
def add_row(rows, place, source, first, mask, count):
    """Add up to eight words to a row: the bits of `source` that are set in a mask.

    - place, first: the words of `rows` and `source` where the row begins
    - mask: as many words as are added
    """
    if count == ACROSS:
        _add(rows, place, source, first, mask, 0)
    else:
        for w in range(count):
            rows[place + w] |= source[first + w] & mask[w]


@compile_kernel(nogil=True, makes_arrays=False)
def turn_rows(rows, size):
    """Turn squares of `size` by `size` bits over: 64, 32, 16 or 8 rows of eight words."""
    # Rows that lie far from each other, then neighbours: eight at a time stay in registers.
    for row in range(8):
        if size == 64:
            _exchange(rows, row * ACROSS, 8, 8)
        elif size == 32:
            _exchange(rows, row * ACROSS, 4, 8)
        elif size == 16:
            _exchange(rows, row * ACROSS, 2, 8)
    for row in range(0, size, 8):
        _exchange(rows, row * ACROSS, 8, 1)


@compile_kernel(nogil=True, inline='always', makes_arrays=False)
def lane_word(rows, size, w, lane):
    """Return the bits of a lane of square w, lowest first; those beyond `size` mean nothing."""
    row = lane & (size - np.uint64(1))
    return rows[row * np.uint64(ACROSS) + w] >> (lane ^ row)
