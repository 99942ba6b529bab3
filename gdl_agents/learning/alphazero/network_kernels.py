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

_NUMBER = ir.IntType(64)
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


class _TileWriter:
    """Writes the instructions of a tile of so many rows: its sums are variables, two a row."""

    def __init__(self, builder, data, places, rows):
        self._builder = builder
        self._room, self._weights, self._taps = data
        self._places = places
        self._rows = rows
        self._vector = ir.VectorType(ir.FloatType(), _LANES)
        self._sums = [
            [cgutils.alloca_once(builder, self._vector) for _ in range(2)] for _ in range(rows)
        ]

    def begin(self):
        """Begin all sums with the bias."""
        for half in range(2):
            bias = self._load(self._weights, self._add(self._places[BIAS], half * _LANES))
            for row in range(self._rows):
                self._builder.store(bias, self._sums[row][half])

    def add_products(self):
        """Add all products of inputs and weights."""
        builder, places = self._builder, self._places
        strides = [builder.mul(places[SOURCE_STRIDE], _NUMBER(row)) for row in range(self._rows)]
        weights = cgutils.alloca_once_value(builder, places[WEIGHTS])
        first, end = places[FIRST_TAP], places[END_TAP]
        with cgutils.for_range(builder, end, start=first, intp=_NUMBER) as tap:
            away = builder.load(builder.gep(self._taps, [tap.index]))
            source = builder.add(places[SOURCE], away)
            with cgutils.for_range(builder, places[INPUTS], intp=_NUMBER) as item:
                here = builder.load(weights)
                self._add_input(builder.add(source, item.index), strides, here)
                builder.store(self._add(here, TILE_OUTPUTS), weights)

    def _add_input(self, source, strides, weights):
        """Add the products of one input of each row."""
        builder = self._builder
        pair = [self._load(self._weights, self._add(weights, half * _LANES)) for half in range(2)]
        fma = self._find('fma', 3)
        for row in range(self._rows):
            spot = builder.gep(self._room, [builder.add(source, strides[row])])
            every = self._spread(builder.load(spot, align=4))
            for half in range(2):
                held = builder.load(self._sums[row][half])
                builder.store(builder.call(fma, [every, pair[half], held]), self._sums[row][half])

    def finish(self):
        """Add what is passed by, cut what is below 0, and store the results."""
        builder, places = self._builder, self._places
        has_skip = builder.icmp_signed('>=', places[SKIP], _NUMBER(0))
        is_cut = builder.icmp_signed('!=', places[RELU], _NUMBER(0))
        larger = self._find('maxnum', 2)
        nothing = ir.Constant(self._vector, [0.0] * _LANES)
        for row in range(self._rows):
            aside = builder.mul(places[TARGET_STRIDE], _NUMBER(row))
            for half, total in enumerate(self._sums[row]):
                offset = self._add(aside, half * _LANES)
                with builder.if_then(has_skip):
                    passed = self._load(self._room, builder.add(places[SKIP], offset))
                    builder.store(builder.fadd(builder.load(total), passed), total)
                held = builder.load(total)
                cut = builder.call(larger, [held, nothing])
                target = self._point_to(self._room, builder.add(places[TARGET], offset))
                builder.store(builder.select(is_cut, cut, held), target, align=4)

    # ---- instructions

    def _add(self, number, more):
        return self._builder.add(number, _NUMBER(more))

    def _point_to(self, base, offset):
        pointer = self._builder.gep(base, [offset])
        return self._builder.bitcast(pointer, self._vector.as_pointer())

    def _load(self, base, offset):
        return self._builder.load(self._point_to(base, offset), align=4)

    def _spread(self, number):
        """Return a vector with one number everywhere."""
        index = ir.IntType(32)
        empty = ir.Constant(self._vector, ir.Undefined)
        single = self._builder.insert_element(empty, number, index(0))
        every = ir.Constant(ir.VectorType(index, _LANES), [0] * _LANES)
        return self._builder.shuffle_vector(single, empty, every)

    def _find(self, name, arguments):
        """Return an instruction of LLVM on vectors, as a function."""
        kind = ir.FunctionType(self._vector, [self._vector] * arguments)
        name = f'llvm.{name}.v{_LANES}f32'
        return cgutils.get_or_insert_function(self._builder.module, kind, name)


def _make_tile(rows):
    """Return what computes a tile of so many rows, for compiled code.

    It takes (room, weights, taps, places): the columns of a step, in their order, but for BLOCKS.
    """

    @intrinsic
    def compute(context, room, weights, taps, places):
        signature = types.void(room, weights, taps, places)

        def generate(context, builder, signature, args):
            data = [
                context.make_array(kind)(context, builder, array).data
                for kind, array in zip(signature.args[:3], args[:3], strict=True)
            ]
            columns = cgutils.unpack_tuple(builder, args[3], STEP_COLUMNS - 1)
            tile = _TileWriter(builder, data, columns, rows)
            tile.begin()
            tile.add_products()
            tile.finish()
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
