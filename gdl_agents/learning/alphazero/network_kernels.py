"""Layers of a network in compiled loops: sums of products, a tile at a time.

A tile is up to seven cells of a board, or rows of a batch, by 32 outputs: its sums stay in
registers of 16 numbers, while inputs and weights stream by.
"""

from __future__ import annotations

from typing import NamedTuple

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel

# Numbers in a register, and outputs of a tile.
_LANES = 16
TILE_OUTPUTS = 2 * _LANES
# Rows of a batch that go through all layers together.
CHUNK = 56
# Columns of `NetworkProgram.steps`; see `Step`.
(
    SOURCE,
    TARGET,
    SKIP,
    RELU,
    WEIGHTS,
    BIAS,
    FIRST_TAP,
    END_TAP,
    INPUTS,
    SOURCE_STRIDE,
    TARGET_STRIDE,
    BLOCKS,
) = range(12)
STEP_COLUMNS = 12


class NetworkProgram(NamedTuple):
    """A network as numbers."""

    # (n, STEP_COLUMNS) the layers: first those on the board, then those on rows of a batch.
    # Places are in `room`, in `weights` (WEIGHTS and BIAS) and in `taps`; SKIP is -1 for none.
    steps: NDArray[np.int64]
    board_steps: int
    weights: NDArray[np.float32]
    # Where the inputs of an output are, from its own cell on.
    taps: NDArray[np.int64]
    # (rows · columns · channels) the entry of each number of the board; -1 is 0, -2 is 1.
    cells: NDArray[np.int64]
    # Entries beside the board; without a board, all.
    beside: NDArray[np.int64]
    # The board: rows, columns, cells around it, channels, channels that leave it, and how far
    # cells are apart there; where it is, where it leaves, where rows of a batch begin, and how
    # long they are.
    board: NDArray[np.int64]
    # Where the results are, and how far their rows are apart: policy, then values.
    results: NDArray[np.int64]
    # What is computed with; cells around boards are 0.
    room: NDArray[np.float32]


def _make_tile(rows):
    """Return what computes a tile of so many rows, for compiled code.

    It takes (room, weights, taps, places): the columns of a step, in their order, but for BLOCKS.
    """

    @intrinsic
    def compute(context, room, weights, taps, places):
        signature = types.void(room, weights, taps, places)

        def generate(context, builder, signature, args):
            vector = ir.VectorType(ir.FloatType(), _LANES)
            number = ir.IntType(64)
            data = [
                context.make_array(kind)(context, builder, array).data
                for kind, array in zip(signature.args[:3], args[:3], strict=True)
            ]
            count = STEP_COLUMNS - 1
            place = cgutils.unpack_tuple(builder, args[3], count)

            def constant(value):
                return ir.Constant(number, value)

            def vector_at(base, offset):
                pointer = builder.gep(base, [offset])
                return builder.bitcast(pointer, vector.as_pointer())

            fma = cgutils.get_or_insert_function(
                builder.module,
                ir.FunctionType(vector, [vector] * 3),
                f'llvm.fma.v{_LANES}f32',
            )
            most = cgutils.get_or_insert_function(
                builder.module,
                ir.FunctionType(vector, [vector] * 2),
                f'llvm.maxnum.v{_LANES}f32',
            )
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), _LANES), [0] * _LANES)
            nothing = ir.Constant(vector, ir.Undefined)
            sums = [[cgutils.alloca_once(builder, vector) for _ in range(2)] for _ in range(rows)]
            for half in range(2):
                offset = builder.add(place[BIAS], constant(half * _LANES))
                bias = builder.load(vector_at(data[1], offset), align=4)
                for row in range(rows):
                    builder.store(bias, sums[row][half])
            taken = cgutils.alloca_once_value(builder, place[WEIGHTS])
            strides = [builder.mul(place[SOURCE_STRIDE], constant(row)) for row in range(rows)]
            with cgutils.for_range(
                builder, place[END_TAP], start=place[FIRST_TAP], intp=number
            ) as tap:
                away = builder.load(builder.gep(data[2], [tap.index]))
                source = builder.add(place[SOURCE], away)
                with cgutils.for_range(builder, place[INPUTS], intp=number) as item:
                    here = builder.load(taken)
                    pair = [
                        builder.load(
                            vector_at(data[1], builder.add(here, constant(half * _LANES))), align=4
                        )
                        for half in range(2)
                    ]
                    start = builder.add(source, item.index)
                    for row in range(rows):
                        spot = builder.gep(data[0], [builder.add(start, strides[row])])
                        single = builder.insert_element(
                            nothing, builder.load(spot, align=4), ir.Constant(ir.IntType(32), 0)
                        )
                        every = builder.shuffle_vector(single, nothing, zeros)
                        for half in range(2):
                            held = builder.load(sums[row][half])
                            found = builder.call(fma, [every, pair[half], held])
                            builder.store(found, sums[row][half])
                    builder.store(builder.add(here, constant(TILE_OUTPUTS)), taken)
            has_skip = builder.icmp_signed('>=', place[SKIP], constant(0))
            is_cut = builder.icmp_signed('!=', place[RELU], constant(0))
            none = ir.Constant(vector, [0.0] * _LANES)
            for row in range(rows):
                aside = builder.mul(place[TARGET_STRIDE], constant(row))
                for half in range(2):
                    offset = builder.add(aside, constant(half * _LANES))
                    with builder.if_then(has_skip):
                        at = vector_at(data[0], builder.add(place[SKIP], offset))
                        both = builder.fadd(
                            builder.load(sums[row][half]), builder.load(at, align=4)
                        )
                        builder.store(both, sums[row][half])
                    held = builder.load(sums[row][half])
                    cut = builder.call(most, [held, none])
                    at = vector_at(data[0], builder.add(place[TARGET], offset))
                    builder.store(builder.select(is_cut, cut, held), at, align=4)
            return context.get_dummy_value()

        return signature, generate

    return compute


_one, _two, _three, _four = (_make_tile(rows) for rows in (1, 2, 3, 4))
_five, _six, _seven = (_make_tile(rows) for rows in (5, 6, 7))


@compile_kernel(nogil=True, makes_arrays=False)
def compute_rows(step, source, target, skip, count, tile, program):
    """Compute a layer for rows that lie side by side, from these places on.

    - tile: rows that are computed together at most
    """
    room, weights, taps = program.room, program.weights, program.taps
    size = (step[END_TAP] - step[FIRST_TAP]) * step[INPUTS] * TILE_OUTPUTS
    for block in range(step[BLOCKS]):
        aside = block * TILE_OUTPUTS
        done = 0
        parts = (count + tile - 1) // tile
        for part in range(parts):
            # Parts of the same size, or nearly so.
            rows = (count - done + parts - part - 1) // (parts - part)
            places = (
                source + done * step[SOURCE_STRIDE],
                target + done * step[TARGET_STRIDE] + aside,
                skip + done * step[TARGET_STRIDE] + aside if skip >= 0 else np.int64(-1),
                step[RELU],
                step[WEIGHTS] + block * size,
                step[BIAS] + aside,
                step[FIRST_TAP],
                step[END_TAP],
                step[INPUTS],
                step[SOURCE_STRIDE],
                step[TARGET_STRIDE],
            )
            if rows == 7:
                _seven(room, weights, taps, places)
            elif rows == 6:
                _six(room, weights, taps, places)
            elif rows == 5:
                _five(room, weights, taps, places)
            elif rows == 4:
                _four(room, weights, taps, places)
            elif rows == 3:
                _three(room, weights, taps, places)
            elif rows == 2:
                _two(room, weights, taps, places)
            else:
                _one(room, weights, taps, places)
            done += rows


@compile_kernel(nogil=True, makes_arrays=False)
def _see_board(seen, row, features, tile, program):
    """Lay one observation out as a board, and run the layers on it; what leaves is a row."""
    room, cells, steps, board = program.room, program.cells, program.steps, program.board
    rows, columns, margin, channels = board[0], board[1], board[2], board[3]
    leaving, between, first, last = board[4], board[5], board[6], board[7]
    wide = columns + 2 * margin
    number = 0
    for r in range(rows):
        for c in range(columns):
            place = first + ((r + margin) * wide + c + margin) * channels
            for k in range(channels):
                entry = cells[number]
                value = np.float32(1.0) if entry == -2 else np.float32(0.0)
                if entry >= 0:
                    value = np.float32(seen[row, entry])
                room[place + k] = value
                number += 1
    for i in range(program.board_steps):
        step = steps[i]
        for r in range(rows):
            cell = (r + margin) * wide + margin
            skip = np.int64(-1)
            if step[SKIP] >= 0:
                skip = step[SKIP] + cell * step[TARGET_STRIDE]
            source = step[SOURCE] + cell * step[SOURCE_STRIDE]
            target = step[TARGET] + cell * step[TARGET_STRIDE]
            compute_rows(step, source, target, skip, columns, tile, program)
    for r in range(rows):
        for c in range(columns):
            place = last + ((r + margin) * wide + c + margin) * between
            # Channel by channel, as PyTorch has them.
            for k in range(leaving):
                room[features + (k * rows + r) * columns + c] = room[place + k]
    return features + leaving * rows * columns


@compile_kernel(nogil=True, makes_arrays=False)
def run_network(program, seen, tile, logits, values):
    """Compute what a network says of observations, one a row.

    - seen: (n, entries) uint8
    - logits, values: (n, outputs) float32, before any sigmoid
    """
    room, steps, board, results = program.room, program.steps, program.board, program.results
    for begin in range(0, seen.shape[0], CHUNK):
        count = min(CHUNK, seen.shape[0] - begin)
        for i in range(count):
            place = board[8] + i * board[9]
            if program.board_steps:
                place = _see_board(seen, begin + i, place, tile, program)
            for k in range(program.beside.shape[0]):
                room[place + k] = np.float32(seen[begin + i, program.beside[k]])
        for number in range(program.board_steps, steps.shape[0]):
            step = steps[number]
            compute_rows(step, step[SOURCE], step[TARGET], step[SKIP], count, tile, program)
        for i in range(count):
            for k in range(logits.shape[1]):
                logits[begin + i, k] = room[results[0] + i * results[1] + k]
            for k in range(values.shape[1]):
                values[begin + i, k] = room[results[2] + i * results[3] + k]
