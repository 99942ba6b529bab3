"""Rows of one, two, four or eight bytes, of chosen lanes: as many at a time as a register holds.

Lanes of a word belong to several players, whose rows lie apart. Where processors can move chosen
parts of a register side by side, 64 lanes take a few steps for each player instead of one a lane.
"""

from __future__ import annotations

from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic
import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.wide_squares import ACROSS
from gdl_env.engine.batch.word_bits import count_ones

_FEATURES = get_host_cpu_features()
# Whether the processor moves chosen bytes, and all that is longer, side by side.
CAN_SORT = not config.CPU_NAME and bool(
    _FEATURES.get('avx512f') and _FEATURES.get('avx512vbmi2') and _FEATURES.get('avx512bw')
)
# Bits of a register.
_REGISTER = 512


@intrinsic(prefer_literal=True)
def _order(context, squares, first, size, out):
    """Do as `order_lanes` for eight rows, beginning with `first`; `size` is a constant."""
    signature = types.void(squares, types.int64, size, out)

    def generate(context, builder, signature, args):
        word, number = ir.IntType(64), ir.IntType(32)
        vector = ir.VectorType(word, ACROSS)
        bits = size.literal_value
        source = context.make_array(signature.args[0])(context, builder, args[0])
        target = context.make_array(signature.args[3])(context, builder, args[3])
        rows = []
        for index in range(ACROSS):
            row = builder.add(args[1], ir.Constant(word, index))
            place = builder.mul(row, ir.Constant(word, ACROSS))
            pointer = builder.bitcast(builder.gep(source.data, [place]), vector.as_pointer())
            rows.append(builder.load(pointer, align=8))
        step = ACROSS // 2
        while step:
            kind = ir.VectorType(number, ACROSS)
            low = [k if not k & step else ACROSS + k - step for k in range(ACROSS)]
            high = [k + step if not k & step else ACROSS + k for k in range(ACROSS)]
            for index in range(ACROSS):
                if not index & step:
                    both = rows[index], rows[index + step]
                    rows[index] = builder.shuffle_vector(*both, ir.Constant(kind, low))
                    rows[index + step] = builder.shuffle_vector(*both, ir.Constant(kind, high))
            step //= 2
        # Now vector w has a word of each row: those of square w.
        short = ir.VectorType(ir.IntType(bits), ACROSS)
        for w, held in enumerate(rows):
            for part in range(64 // bits):
                found = held
                if bits < 64:
                    shift = ir.Constant(vector, [part * bits] * ACROSS)
                    found = builder.trunc(builder.lshr(held, shift), short)
                lane = builder.add(args[1], ir.Constant(word, 64 * w + part * bits))
                place = builder.mul(lane, ir.Constant(word, bits // 8))
                pointer = builder.gep(target.data, [place])
                builder.store(found, builder.bitcast(pointer, short.as_pointer()), align=1)
        return context.get_dummy_value()

    return signature, generate


@compile_kernel(nogil=True, makes_arrays=False)
def order_lanes(squares, size, out):
    """Write the bits of all lanes of eight squares one after the other.

    - squares: turned over, see `wide_squares`; size: 64, 32, 16 or 8, the bits of a lane
    - out: uint8, room for 512 lanes
    """
    for row in range(0, size, 8):
        if size == 64:
            _order(squares, row, 64, out)
        elif size == 32:
            _order(squares, row, 32, out)
        elif size == 16:
            _order(squares, row, 16, out)
        else:
            _order(squares, row, 8, out)


@intrinsic(prefer_literal=True)
def _compress(context, lanes, first, chosen, out, place, size):
    """Write the chosen ones of a register of lanes side by side; what follows them is undefined.

    - first, place: the bytes where lanes begin, and where they are written
    - size: a constant, the bits of a lane
    """
    signature = types.void(lanes, types.int64, types.uint64, out, types.int64, size)

    def generate(context, builder, signature, args):
        bits = size.literal_value
        count = _REGISTER // bits
        kind = ir.VectorType(ir.IntType(bits), count)
        flags = ir.VectorType(ir.IntType(1), count)
        source = context.make_array(signature.args[0])(context, builder, args[0])
        target = context.make_array(signature.args[3])(context, builder, args[3])
        pointer = builder.bitcast(builder.gep(source.data, [args[1]]), kind.as_pointer())
        held = builder.load(pointer, align=1)
        mask = args[2] if count == 64 else builder.trunc(args[2], ir.IntType(count))
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(kind, [kind, flags, kind]),
            f'llvm.experimental.vector.compress.v{count}i{bits}',
        )
        nothing = ir.Constant(kind, ir.Undefined)
        found = builder.call(function, [held, builder.bitcast(mask, flags), nothing])
        pointer = builder.bitcast(builder.gep(target.data, [args[4]]), kind.as_pointer())
        builder.store(found, pointer, align=1)
        return context.get_dummy_value()

    return signature, generate


@compile_kernel(nogil=True, makes_arrays=False)
def write_short_rows(lanes, square, out, rows):
    """Write the rows of chosen lanes one after the other; tell whether there was room.

    - lanes: what `order_lanes` wrote
    - square: the bits of a lane, which square, and the bits of chosen lanes
    - out: (rows, bytes) uint8, as many bytes as a lane has
    - rows: the row to begin with, and the one behind those that are still to be written: up to
      there, rows may be written over
    """
    size, w, left = square
    count = _REGISTER // size
    row, end = rows
    if row + count_ones(left) + count > end:
        return False
    bytes_of = size >> 3
    every = ~np.uint64(0) >> np.uint64(64 - count)
    for first in range(64 * w, 64 * w + 64, count):
        source, place = first * bytes_of, row * bytes_of
        if size == 64:
            _compress(lanes, source, left, out, place, 64)
        elif size == 32:
            _compress(lanes, source, left, out, place, 32)
        elif size == 16:
            _compress(lanes, source, left, out, place, 16)
        else:
            _compress(lanes, source, left, out, place, 8)
        row += count_ones(left & every)
        # All of them are written at once if a register holds them.
        left = left >> np.uint64(count & 63)
    return True
