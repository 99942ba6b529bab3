"""Lanes between their two forms, blocks and rows; see `blocks/records.py`."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.environment.blocks.records import WIDTH, open_blocks, open_tables
from gdl_env.environment.lanes.match_handle import open_lanes, open_seats

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@compile_kernel(nogil=True)
def unpack_lanes(handle, block_handle, chosen):
    """Copy chosen lanes from blocks to rows."""
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    lanes = open_lanes(handle)
    seats = open_seats(handle)
    width = tables.numbers[WIDTH]
    for k in range(chosen.shape[0]):
        lane = chosen[k]
        block, place = lane // (64 * width), lane % (64 * width)
        w, shift = place >> 6, np.uint64(place & 63)
        _unpack(blocks.state[block], w, shift, width, lanes.states[lane])
        _unpack(blocks.possible[block], w, shift, width, lanes.possible[lane])
        lanes.last[lane] = -1
        for player in range(lanes.decides.shape[0]):
            if (blocks.last[block, player * width + w] >> shift) & _ONE:
                lanes.last[lane] = player
        for word in range(lanes.legal.shape[1]):
            lanes.legal[lane, word] = _ZERO
        for seat in range(seats.noop.shape[0]):
            for row in range(tables.seat[2 * seat], tables.seat[2 * seat + 1]):
                if (blocks.legal[block, row * width + w] >> shift) & _ONE:
                    bit = tables.bit[row]
                    word = seats.start[seat] + (bit >> 6)
                    lanes.legal[lane, word] |= _ONE << np.uint64(bit & 63)


@compile_kernel(nogil=True)
def _unpack(rows, w, shift, width, out):
    count = rows.shape[0] // width
    for word in range(out.shape[0]):
        value = _ZERO
        for bit in range(min(64, count - 64 * word)):
            held = (rows[(64 * word + bit) * width + w] >> shift) & _ONE
            value |= held << np.uint64(bit)
        out[word] = value


@compile_kernel(nogil=True)
def pack_lanes(handle, block_handle, chosen):
    """Copy chosen lanes from rows to blocks."""
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    lanes = open_lanes(handle)
    seats = open_seats(handle)
    width = tables.numbers[WIDTH]
    for k in range(chosen.shape[0]):
        lane = chosen[k]
        block, place = lane // (64 * width), lane % (64 * width)
        w, bit = place >> 6, _ONE << np.uint64(place & 63)
        _pack(lanes.states[lane], w, bit, width, blocks.state[block])
        _pack(lanes.possible[lane], w, bit, width, blocks.possible[block])
        for seat in range(seats.noop.shape[0]):
            for row in range(tables.seat[2 * seat], tables.seat[2 * seat + 1]):
                own = tables.bit[row]
                word = lanes.legal[lane, seats.start[seat] + (own >> 6)]
                _put(blocks.legal[block], row * width + w, bit, word >> np.uint64(own & 63))
            _put(blocks.acts[block], seat * width + w, bit, np.uint64(lanes.acts[seat, lane]))
        for player in range(lanes.decides.shape[0]):
            decides = np.uint64(lanes.decides[player, lane])
            _put(blocks.decides[block], player * width + w, bit, decides)
            moved = np.uint64(lanes.last[lane] == player)
            _put(blocks.last[block], player * width + w, bit, moved)
        _put(blocks.is_open[block], w, bit, np.uint64(lanes.is_open[lane]))


@compile_kernel(nogil=True)
def _pack(row, w, bit, width, out):
    count = out.shape[0] // width
    for k in range(count):
        _put(out, k * width + w, bit, row[k >> 6] >> np.uint64(k & 63))


@compile_kernel(nogil=True)
def _put(words, place, bit, value):
    """Set or clear a bit by the lowest bit of a value."""
    words[place] = (words[place] & ~bit) | (bit & (~(value & _ONE) + _ONE))
