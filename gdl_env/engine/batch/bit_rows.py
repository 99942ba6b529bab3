"""Bits of states, turned between two layouts by compiled code.

- **Rows of states**: one row of 64-bit words a state, bit i of a row for fact i. States can be
  picked, copied and compared one by one: this is what everybody but the engine sees.
- **Rows of facts**: one row of `width` words a fact, bit j of a row for state j. One operation of
  a tape works on 64 · width states at once: this is what the engine computes with.

Between them lies the transpose of squares of 64 by 64 bits, about a nanosecond for each row of a
square where the processor has wide registers.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.layout import FIRST_INPUT
from gdl_env.engine.batch.wide_squares import ACROSS, turn_rows
from gdl_env.engine.batch.word_bits import count_ones, find_one
from gdl_env.word_rows import join_words

# Words of a vector of the transpose. Compilers split it where registers are narrower.
_VECTOR = 8
# States from which on eight squares are turned over together, where rows are wide enough.
_MANY = 128


@intrinsic
def transpose(context, square):
    """Turn 64 words of 64 bits over their diagonal, in place."""
    signature = types.void(square)

    def generate(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        word = ir.IntType(64)
        vector = ir.VectorType(word, _VECTOR)
        base = builder.bitcast(array.data, word.as_pointer())
        places = []
        rows = []
        for i in range(64 // _VECTOR):
            place = builder.gep(base, [ir.Constant(word, i * _VECTOR)])
            places.append(builder.bitcast(place, vector.as_pointer()))
            rows.append(builder.load(places[-1], align=8))
        distance, mask = 32, 2**32 - 1
        while distance:
            if distance >= _VECTOR:
                _swap_vectors(builder, vector, rows, distance, mask)
            else:
                _swap_within(builder, vector, rows, distance, mask)
            distance >>= 1
            mask ^= (mask << distance) % 2**64 if distance else 0
        for place, row in zip(places, rows, strict=True):
            builder.store(row, place, align=8)
        return context.get_dummy_value()

    return signature, generate


def _constant(vector, value):
    return ir.Constant(vector, [value] * _VECTOR)


def _swap_vectors(builder, vector, rows, distance, mask):
    """Exchange blocks of bits between words that lie in different vectors."""
    step = distance // _VECTOR
    shift = _constant(vector, distance)
    for i in range(len(rows)):
        if i & step:
            continue
        low, high = rows[i], rows[i + step]
        changed = builder.xor(builder.lshr(low, shift), high)
        changed = builder.and_(changed, _constant(vector, mask))
        rows[i] = builder.xor(low, builder.shl(changed, shift))
        rows[i + step] = builder.xor(high, changed)


def _swap_within(builder, vector, rows, distance, mask):
    """Exchange blocks of bits between words of the same vector."""
    lanes = range(_VECTOR)
    order = [lane ^ distance for lane in lanes]
    index = ir.Constant(ir.VectorType(ir.IntType(32), _VECTOR), order)
    is_low = [0 if lane & distance else 1 for lane in lanes]
    chooser = ir.Constant(ir.VectorType(ir.IntType(1), _VECTOR), is_low)
    shift = _constant(vector, distance)
    kept, other = _constant(vector, mask), _constant(vector, 2**64 - 1 ^ mask)
    for i, row in enumerate(rows):
        partner = builder.shuffle_vector(row, ir.Constant(vector, ir.Undefined), index)
        low = builder.or_(builder.and_(row, kept), builder.shl(builder.and_(partner, kept), shift))
        high = builder.or_(
            builder.and_(row, other), builder.and_(builder.lshr(partner, shift), kept)
        )
        rows[i] = builder.select(chooser, low, high)


@intrinsic
def store_word(context, out, offset, word):
    """Write a 64-bit word into an array of bytes, at any place."""
    signature = types.void(out, types.int64, types.uint64)

    def generate(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        place = builder.gep(array.data, [args[1]])
        pointer = builder.bitcast(place, ir.IntType(64).as_pointer())
        builder.store(args[2], pointer, align=1)
        return context.get_dummy_value()

    return signature, generate


@intrinsic(prefer_literal=True)
def spread_word(context, out, offset, word, size):
    """Write a byte of 0 or 1 for each of the lowest bits of a word into an array of bytes.

    - size: a constant, 16, 32 or 64 bits
    """
    signature = types.void(out, types.int64, types.uint64, size)

    def generate(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        count = size.literal_value
        given = args[2] if count == 64 else builder.trunc(args[2], ir.IntType(count))
        bits = builder.bitcast(given, ir.VectorType(ir.IntType(1), count))
        kind = ir.VectorType(ir.IntType(8), count)
        place = builder.gep(array.data, [args[1]])
        pointer = builder.bitcast(place, kind.as_pointer())
        builder.store(builder.zext(bits, kind), pointer, align=1)
        return context.get_dummy_value()

    return signature, generate


def _load_numbers(context, builder, signature, args):
    """Return a pointer to 64 numbers of an array, these numbers, and 64 bits of a word."""
    array = context.make_array(signature.args[0])(context, builder, args[0])
    kind = ir.VectorType(ir.IntType(signature.args[0].dtype.bitwidth), 64)
    place = builder.bitcast(builder.gep(array.data, [args[1]]), kind.as_pointer())
    chosen = builder.bitcast(args[2], ir.VectorType(ir.IntType(1), 64))
    return place, builder.load(place, align=1), chosen


@intrinsic
def add_where(context, out, offset, bits):
    """Add 1 to those of 64 numbers where the bits of a word are set."""
    signature = types.void(out, types.int64, types.uint64)

    def generate(context, builder, signature, args):
        place, held, chosen = _load_numbers(context, builder, signature, args)
        builder.store(builder.add(held, builder.zext(chosen, held.type)), place, align=1)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def clear_where(context, out, offset, bits):
    """Make those of 64 numbers zero where the bits of a word are set."""
    signature = types.void(out, types.int64, types.uint64)

    def generate(context, builder, signature, args):
        place, held, chosen = _load_numbers(context, builder, signature, args)
        zero = ir.Constant(held.type, [0] * 64)
        builder.store(builder.select(chosen, zero, held), place, align=1)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def raise_where(context, out, offset, bits, value):
    """Raise up to 64 signed numbers to a value at least, where the bits of a word are set.

    - out: a contiguous array, of which 64 numbers from `offset` on are touched
    """
    signature = types.void(out, types.int64, types.uint64, out.dtype)

    def generate(context, builder, signature, args):
        place, held, chosen = _load_numbers(context, builder, signature, args)
        kind, number = held.type, ir.IntType(32)
        single = builder.insert_element(
            ir.Constant(kind, ir.Undefined), args[3], ir.Constant(number, 0)
        )
        every = ir.Constant(ir.VectorType(number, 64), [0] * 64)
        given = builder.shuffle_vector(single, ir.Constant(kind, ir.Undefined), every)
        # All are written: a later load waits for a store that leaves some out.
        lowest = ir.Constant(kind, [-(2 ** (kind.element.width - 1))] * 64)
        given = builder.select(chosen, given, lowest)
        found = builder.select(builder.icmp_signed('>', given, held), given, held)
        builder.store(found, place, align=1)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def match_bytes(context, row, value):
    """Return a bit for each of the first 64 bytes of an array, whether it has this value."""
    signature = types.uint64(row, types.uint8)

    def generate(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        kind = ir.VectorType(ir.IntType(8), 64)
        held = builder.load(builder.bitcast(array.data, kind.as_pointer()), align=1)
        nothing = ir.Constant(kind, ir.Undefined)
        single = builder.insert_element(nothing, args[1], ir.Constant(ir.IntType(32), 0))
        every = ir.Constant(ir.VectorType(ir.IntType(32), 64), [0] * 64)
        given = builder.shuffle_vector(single, nothing, every)
        return builder.bitcast(builder.icmp_unsigned('==', held, given), ir.IntType(64))

    return signature, generate


@intrinsic
def read_word(context, row, first):
    """Return eight bytes of a contiguous row of bytes, from `first` on, as a 64-bit word."""
    signature = types.uint64(row, types.int64)

    def generate(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        place = builder.gep(array.data, [args[1]])
        # Bytes need not lie at a multiple of eight.
        return builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()), align=1)

    return signature, generate


@compile_kernel(nogil=True, makes_arrays=False)
def spread_byte(byte):
    """Return a word with a byte of 0 or 1 for each bit of a byte."""
    # Byte i keeps bit i alone; then its highest bit tells whether anything is left.
    kept = (byte * np.uint64(0x0101010101010101)) & np.uint64(0x8040201008040201)
    return ((kept + np.uint64(0x7F7F7F7F7F7F7F7F)) >> np.uint64(7)) & np.uint64(0x0101010101010101)


@compile_kernel(nogil=True, makes_arrays=False)
def nth_one(rows, row, low, high, rank):
    """Return the place of the bit of this rank in words `low` to `high` of a row, from `low` on.

    -1 if there is none.
    """
    left = np.int64(rank)
    for index in range(low, high):
        word = rows[row, index]
        count = count_ones(word)
        if left < count:
            return 64 * (index - low) + find_one(word, np.uint64(left))
        left -= count
    return -1


@compile_kernel(nogil=True)
def load_rows(states, chosen, facts, data, width):
    """Lay chosen states as rows of facts into the inputs of a tape.

    - states: (states, words) rows of states
    - chosen: (at most 64 · width) which states, the first in bit 0; other bits become 0
    - facts: how many bits of a state there are
    - data: flat memory of a tape, rows of `width` words
    """
    if width == ACROSS and chosen.shape[0] > _MANY:
        _load_wide(states, chosen, facts, data)
        return
    square = np.empty(64, np.uint64)
    for group in range(width):
        low = 64 * group
        count = max(0, min(64, chosen.shape[0] - low))
        for word in range(states.shape[1]):
            for lane in range(count):
                square[lane] = states[chosen[low + lane], word]
            square[count:] = np.uint64(0)
            if count:
                transpose(square)
            place = (FIRST_INPUT + 64 * word) * width + group
            for bit in range(min(64, facts - 64 * word)):
                data[place + bit * width] = square[bit]


@compile_kernel(nogil=True)
def store_rows(data, width, slots, chosen, states):
    """Write rows of facts back as chosen states.

    - slots: (bits) the row of each bit of a state; bits beyond the last slot become 0
    - chosen: (at most 64 · width) which states are written
    - states: (states, words)
    """
    if width == ACROSS and chosen.shape[0] > _MANY:
        _store_wide(data, slots, chosen, states)
        return
    square = np.empty(64, np.uint64)
    for group in range(width):
        low = 64 * group
        count = min(64, chosen.shape[0] - low)
        if count <= 0:
            break
        for word in range(states.shape[1]):
            size = min(64, slots.shape[0] - 64 * word)
            found = np.uint64(0)
            for bit in range(size):
                square[bit] = data[np.int64(slots[64 * word + bit]) * width + group]
                found |= square[bit]
            if found == np.uint64(0):
                for lane in range(count):
                    states[chosen[low + lane], word] = np.uint64(0)
                continue
            square[max(size, 0) :] = np.uint64(0)
            transpose(square)
            for lane in range(count):
                states[chosen[low + lane], word] = square[lane]


@compile_kernel(nogil=True)
def _load_wide(states, chosen, facts, data):
    """Do as `load_rows` for rows of eight words: eight squares at a time."""
    squares = np.empty(64 * ACROSS, np.uint64)
    count = min(chosen.shape[0], 64 * ACROSS)
    for word in range(states.shape[1]):
        if count < 64 * ACROSS:
            squares[:] = np.uint64(0)
        for lane in range(count):
            squares[(lane & 63) * ACROSS + (lane >> 6)] = states[chosen[lane], word]
        turn_rows(squares, 64)
        first = FIRST_INPUT + 64 * word
        for bit in range(min(64, facts - 64 * word)):
            target, source = (first + bit) * ACROSS, bit * ACROSS
            join_words(data, squares, squares, (target, source, source), ACROSS)


@compile_kernel(nogil=True)
def _store_wide(data, slots, chosen, states):
    """Do as `store_rows` for rows of eight words: eight squares at a time."""
    squares = np.empty(64 * ACROSS, np.uint64)
    count = min(chosen.shape[0], 64 * ACROSS)
    for word in range(states.shape[1]):
        size = max(0, min(64, slots.shape[0] - 64 * word))
        for bit in range(size):
            place, source = bit * ACROSS, np.int64(slots[64 * word + bit]) * ACROSS
            join_words(squares, data, data, (place, source, source), ACROSS)
        squares[size * ACROSS :] = np.uint64(0)
        found = np.uint64(0)
        for k in range(size * ACROSS):
            found |= squares[k]
        if found:
            turn_rows(squares, 64)
        for lane in range(count):
            states[chosen[lane], word] = squares[(lane & 63) * ACROSS + (lane >> 6)]
