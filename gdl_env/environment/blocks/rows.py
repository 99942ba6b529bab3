"""Lanes between their two forms, blocks and rows; see `blocks/records.py`.

A few lanes of a block are copied bit by bit; for more of them, squares of bits are turned over.
"""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.wide_squares import ACROSS, turn_rows
from gdl_env.environment.blocks.records import (
    WIDTH,
    open_blocks,
    open_masks,
    open_tables,
)
from gdl_env.environment.lanes.match_handle import open_lanes, open_seats
from gdl_env.word_rows import choose_words, join_words

_ZERO, _ONE = np.uint64(0), np.uint64(1)
# Fewer lanes of a block than this are copied bit by bit.
_FEW_LANES = 5


@compile_kernel(nogil=True, makes_arrays=False)
def unpack_lanes(handle, block_handle, chosen):
    """Copy chosen lanes, in rising order, from blocks to rows."""
    size = 64 * open_tables(block_handle).numbers[WIDTH]
    first = 0
    while first < chosen.shape[0]:
        last = _end_of_block(chosen, first, size)
        part = chosen[first:last]
        if last - first < _FEW_LANES:
            _unpack_bits(handle, block_handle, part)
        else:
            _unpack_squares(handle, block_handle, part)
        first = last


@compile_kernel(nogil=True, makes_arrays=False)
def pack_lanes(handle, block_handle, chosen):
    """Copy chosen lanes, in rising order, from rows to blocks."""
    size = 64 * open_tables(block_handle).numbers[WIDTH]
    first = 0
    while first < chosen.shape[0]:
        last = _end_of_block(chosen, first, size)
        part = chosen[first:last]
        if last - first < _FEW_LANES:
            _pack_bits(handle, block_handle, part)
        else:
            _pack_squares(handle, block_handle, part)
        _pack_turns(handle, block_handle, part)
        first = last


@compile_kernel(nogil=True, makes_arrays=False)
def _end_of_block(chosen, first, size):
    """Return where the lanes of the next block begin among chosen ones."""
    block = chosen[first] // size
    last = first + 1
    while last < chosen.shape[0] and chosen[last] // size == block:
        last += 1
    return last


# ---- by squares


@compile_kernel(nogil=True, makes_arrays=False)
def _unpack_squares(handle, block_handle, part):
    """Copy lanes of one block to rows."""
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    masks, lanes, start = open_masks(block_handle), open_lanes(handle), open_seats(handle).start
    width = tables.numbers[WIDTH]
    block = part[0] // (64 * width)
    every = _count_up(blocks, width)
    for word in range(lanes.states.shape[1]):
        rows = every[64 * word : min(64 * word + 64, blocks.state.shape[1] // width)]
        _turn_out(blocks.state[block], (rows, rows), part, width, lanes.states, word)
    for word in range(lanes.possible.shape[1]):
        rows = every[64 * word : min(64 * word + 64, blocks.possible.shape[1] // width)]
        _turn_out(blocks.possible[block], (rows, rows), part, width, lanes.possible, word)
    players = masks.viewer.shape[0]
    for player in range(players):
        for word in range(masks.start.shape[1] - 1):
            low, high = masks.start[player, word], masks.start[player, word + 1]
            rows = masks.bit[low:high], masks.column[low:high]
            target = start[player] + word
            if target < start[player + 1]:
                _turn_out(blocks.legal[block], rows, part, width, lanes.legal, target)
    _unpack_legal(handle, block_handle, part, players)
    _unpack_last(handle, block_handle, part)


@compile_kernel(nogil=True, makes_arrays=False)
def _pack_squares(handle, block_handle, part):
    """Copy rows to lanes of one block."""
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    masks, lanes, start = open_masks(block_handle), open_lanes(handle), open_seats(handle).start
    width = tables.numbers[WIDTH]
    block = part[0] // (64 * width)
    every = _count_up(blocks, width)
    for word in range(lanes.states.shape[1]):
        rows = every[64 * word : min(64 * word + 64, blocks.state.shape[1] // width)]
        _turn_in(lanes.states, word, part, width, (rows, rows), blocks.state[block])
    for word in range(lanes.possible.shape[1]):
        rows = every[64 * word : min(64 * word + 64, blocks.possible.shape[1] // width)]
        _turn_in(lanes.possible, word, part, width, (rows, rows), blocks.possible[block])
    players = masks.viewer.shape[0]
    for player in range(players):
        for word in range(masks.start.shape[1] - 1):
            low, high = masks.start[player, word], masks.start[player, word + 1]
            rows = masks.bit[low:high], masks.column[low:high]
            source = start[player] + word
            if source < start[player + 1]:
                _turn_in(lanes.legal, source, part, width, rows, blocks.legal[block])
    _pack_legal(handle, block_handle, part, players)


@compile_kernel(nogil=True)
def _count_up(blocks, width):
    """Return the numbers of the rows of a block."""
    count = max(blocks.state.shape[1], blocks.possible.shape[1]) // width
    return np.arange(count).astype(np.int32)


@compile_kernel(nogil=True)
def _turn_out(source, rows, part, width, out, word):
    """Write a word of some lanes of a block.

    - source: the rows of the block
    - rows: which of them, and the bits of the word (mod 64) that they become
    - part: lanes; out: (lanes, words), of which `word` is written
    """
    row, column = rows
    squares = np.zeros(64 * ACROSS, np.uint64)
    for low in range(0, width, ACROSS):
        count = min(ACROSS, width - low)
        squares[:] = _ZERO
        for k in range(row.shape[0]):
            place = (np.int64(column[k]) & 63) * ACROSS
            spot = np.int64(row[k]) * width + low
            join_words(squares, squares, source, (place, place, spot), count)
        turn_rows(squares, 64)
        for k in range(part.shape[0]):
            place = part[k] % (64 * width)
            w = (place >> 6) - low
            if 0 <= w < count:
                out[part[k], word] = squares[(place & 63) * ACROSS + w]


@compile_kernel(nogil=True)
def _turn_in(source, word, part, width, rows, out):
    """Write a word of some lanes into the rows of a block; see `_turn_out`."""
    row, column = rows
    squares = np.zeros(64 * ACROSS, np.uint64)
    for low in range(0, width, ACROSS):
        count = min(ACROSS, width - low)
        squares[:] = _ZERO
        chosen = np.zeros(count, np.uint64)
        for k in range(part.shape[0]):
            place = part[k] % (64 * width)
            w = (place >> 6) - low
            if 0 <= w < count:
                squares[(place & 63) * ACROSS + w] = source[part[k], word]
                chosen[w] |= _ONE << np.uint64(place & 63)
        turn_rows(squares, 64)
        for k in range(row.shape[0]):
            target = np.int64(row[k]) * width + low
            place = (np.int64(column[k]) & 63) * ACROSS
            choose_words(out, squares, out, chosen, (target, place, target))


# ---- bit by bit


@compile_kernel(nogil=True, makes_arrays=False)
def _unpack_bits(handle, block_handle, part):
    """Copy lanes of one block to rows."""
    blocks, lanes = open_blocks(block_handle), open_lanes(handle)
    width = open_tables(block_handle).numbers[WIDTH]
    for k in range(part.shape[0]):
        lane = part[k]
        block, place = lane // (64 * width), lane % (64 * width)
        w, shift = place >> 6, np.uint64(place & 63)
        _unpack(blocks.state[block], w, shift, width, lanes.states[lane])
        _unpack(blocks.possible[block], w, shift, width, lanes.possible[lane])
    _unpack_legal(handle, block_handle, part, 0)
    _unpack_last(handle, block_handle, part)


@compile_kernel(nogil=True, makes_arrays=False)
def _unpack_last(handle, block_handle, part):
    """Copy who moved last in lanes of one block."""
    blocks, lanes = open_blocks(block_handle), open_lanes(handle)
    width = open_tables(block_handle).numbers[WIDTH]
    for k in range(part.shape[0]):
        lane = part[k]
        block, place = lane // (64 * width), lane % (64 * width)
        w, shift = place >> 6, np.uint64(place & 63)
        lanes.last[lane] = -1
        for player in range(lanes.decides.shape[0]):
            if (blocks.last[block, player * width + w] >> shift) & _ONE:
                lanes.last[lane] = player


@compile_kernel(nogil=True, makes_arrays=False)
def _unpack_legal(handle, block_handle, part, first):
    """Copy the legal moves of lanes of one block: of all seats from the first on."""
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    lanes, seats = open_lanes(handle), open_seats(handle)
    width = tables.numbers[WIDTH]
    for k in range(part.shape[0]):
        lane = part[k]
        block, place = lane // (64 * width), lane % (64 * width)
        w, shift = place >> 6, np.uint64(place & 63)
        for word in range(seats.start[first], lanes.legal.shape[1]):
            lanes.legal[lane, word] = _ZERO
        for seat in range(first, seats.noop.shape[0]):
            for row in range(tables.seat[2 * seat], tables.seat[2 * seat + 1]):
                if (blocks.legal[block, row * width + w] >> shift) & _ONE:
                    bit = tables.bit[row]
                    word = seats.start[seat] + (bit >> 6)
                    lanes.legal[lane, word] |= _ONE << np.uint64(bit & 63)


@compile_kernel(nogil=True, makes_arrays=False)
def _unpack(rows, w, shift, width, out):
    count = rows.shape[0] // width
    for word in range(out.shape[0]):
        value = _ZERO
        for bit in range(min(64, count - 64 * word)):
            held = (rows[(64 * word + bit) * width + w] >> shift) & _ONE
            value |= held << np.uint64(bit)
        out[word] = value


@compile_kernel(nogil=True, makes_arrays=False)
def _pack_bits(handle, block_handle, part):
    """Copy rows to lanes of one block."""
    blocks, lanes = open_blocks(block_handle), open_lanes(handle)
    width = open_tables(block_handle).numbers[WIDTH]
    for k in range(part.shape[0]):
        lane = part[k]
        block, place = lane // (64 * width), lane % (64 * width)
        w, bit = place >> 6, _ONE << np.uint64(place & 63)
        _pack(lanes.states[lane], w, bit, width, blocks.state[block])
        _pack(lanes.possible[lane], w, bit, width, blocks.possible[block])
    _pack_legal(handle, block_handle, part, 0)


@compile_kernel(nogil=True, makes_arrays=False)
def _pack_legal(handle, block_handle, part, first):
    """Copy the legal moves of rows to lanes of one block: of all seats from the first on."""
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    lanes, seats = open_lanes(handle), open_seats(handle)
    width = tables.numbers[WIDTH]
    for k in range(part.shape[0]):
        lane = part[k]
        block, place = lane // (64 * width), lane % (64 * width)
        w, bit = place >> 6, _ONE << np.uint64(place & 63)
        for seat in range(first, seats.noop.shape[0]):
            for row in range(tables.seat[2 * seat], tables.seat[2 * seat + 1]):
                own = tables.bit[row]
                word = lanes.legal[lane, seats.start[seat] + (own >> 6)]
                _put(blocks.legal[block], row * width + w, bit, word >> np.uint64(own & 63))


@compile_kernel(nogil=True, makes_arrays=False)
def _pack_turns(handle, block_handle, part):
    """Copy who acts, decides and moved last, and whether there is an episode."""
    blocks, lanes = open_blocks(block_handle), open_lanes(handle)
    width = open_tables(block_handle).numbers[WIDTH]
    for k in range(part.shape[0]):
        lane = part[k]
        block, place = lane // (64 * width), lane % (64 * width)
        w, bit = place >> 6, _ONE << np.uint64(place & 63)
        for seat in range(lanes.acts.shape[0]):
            _put(blocks.acts[block], seat * width + w, bit, np.uint64(lanes.acts[seat, lane]))
        for player in range(lanes.decides.shape[0]):
            decides = np.uint64(lanes.decides[player, lane])
            _put(blocks.decides[block], player * width + w, bit, decides)
            moved = np.uint64(lanes.last[lane] == player)
            _put(blocks.last[block], player * width + w, bit, moved)
        _put(blocks.is_open[block], w, bit, np.uint64(lanes.is_open[lane]))


@compile_kernel(nogil=True, makes_arrays=False)
def _pack(row, w, bit, width, out):
    count = out.shape[0] // width
    for k in range(count):
        _put(out, k * width + w, bit, row[k >> 6] >> np.uint64(k & 63))


@compile_kernel(nogil=True, makes_arrays=False)
def _put(words, place, bit, value):
    """Set or clear a bit by the lowest bit of a value."""
    words[place] = (words[place] & ~bit) | (bit & (~(value & _ONE) + _ONE))
