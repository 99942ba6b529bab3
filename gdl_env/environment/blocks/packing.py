"""Lanes that play on without a decision, packed from many blocks into few; see `records.py`.

A pass over a block takes the same time for one lane as for all. So lanes that play on move to
spare blocks, side by side, and from these, once few are left, to others; in the end, all are laid
back where they came from.
"""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.word_bits import count_ones, deposit_bits, extract_bits, lowest_one
from gdl_env.environment.blocks.records import lane_at, open_blocks
from gdl_env.environment.lanes.match_handle import open_result

_ZERO, _ONE = np.uint64(0), np.uint64(1)
# Columns of a part, a word of a block that has lanes to move: which word; the lanes; the place
# among packed words, counted by rows of a block and words of a row, of the first of them and of
# those that do not fit there (the same if all fit); the bit of the first; and which lanes are
# written when they are laid back.
_SOURCE, _LANES, _BLOCK, _WORD, _NEXT_BLOCK, _NEXT_WORD, _SHIFT, _WRITTEN = range(8)
_PARTS = 8


@compile_kernel(nogil=True)
def pack_quiet(block_handle, masks, low, high, count):
    """Copy the quiet lanes of blocks `low` to `high` to the spare blocks behind them.

    - masks: TickMasks; in their old places, lanes stay quiet until `lay_back`
    - count: how many there are

    Returns the block behind those that are taken.
    """
    blocks = open_blocks(block_handle)
    width = masks.quiet.shape[1]
    end = high + -(-count // (64 * width))
    for block in range(high, end):
        for rows in _all_rows(blocks):
            rows[block] = _ZERO
        masks.gone[block] = _ZERO
        masks.late[block] = _ZERO
        for w in range(width):
            left = min(64, max(0, count - 64 * ((block - high) * width + w)))
            masks.quiet[block, w] = ~_ZERO >> np.uint64(64 - left) if left else _ZERO
    parts = np.empty((width, _PARTS), np.uint64)
    place = 0
    for block in range(low, high):
        first = place
        some, place = _find_parts(masks.quiet[block], place, parts)
        if some:
            _list_lanes(blocks, block, masks.quiet[block], high, first)
            for rows in _all_rows(blocks):
                _pack_rows(rows, block, high, width, parts[:some])
            _pack_rows(masks.gone, block, high, width, parts[:some])
    return end


@compile_kernel(nogil=True)
def lay_back(handle, block_handle, masks, low, high, end):
    """Copy lanes from blocks `high` to `end` back to where `pack_quiet` found them."""
    blocks, result = open_blocks(block_handle), open_result(handle)
    width, home = masks.quiet.shape[1], blocks.held.shape[0]
    gone = _ZERO
    for block in range(high, end):
        for w in range(width):
            gone |= masks.gone[block, w]
    parts = np.empty((width, _PARTS), np.uint64)
    place = 0
    for block in range(low, high):
        some, place = _find_parts(masks.quiet[block], place, parts)
        if some == 0:
            continue
        own = parts[:some]
        for rows in _all_rows(blocks):
            _lay_rows(rows[high:], rows[block], width, own)
        _lay_rows(masks.late[high:], masks.late[block], width, own)
        if gone:
            before = masks.room[0]
            before[:] = masks.gone[block]
            _lay_rows(masks.gone[high:], masks.gone[block], width, own)
            # Only of lanes that ended meanwhile the last states are there.
            for k in range(some):
                w = np.int64(own[k, _SOURCE])
                own[k, _WRITTEN] = masks.gone[block, w] & ~before[w]
                if block < home:
                    result.final_lanes[block, w] |= own[k, _WRITTEN]
            kept = result.final_bits[block] if block < home else blocks.kept[block - home]
            _lay_rows(blocks.kept[high - home :], kept, width, own)
        masks.quiet[block] = _ZERO


@compile_kernel(nogil=True)
def _all_rows(blocks):
    """Return the arrays that hold where the lanes of blocks are."""
    return (
        blocks.state,
        blocks.legal,
        blocks.possible,
        blocks.acts,
        blocks.decides,
        blocks.last,
        blocks.is_open,
    )


@compile_kernel(nogil=True)
def _find_parts(quiet, place, parts):
    """List the words of a block that have quiet lanes; return how many, and the next place."""
    width, some = quiet.shape[0], 0
    for w in range(width):
        if quiet[w] == _ZERO:
            continue
        word, shift = place >> 6, place & 63
        place += count_ones(quiet[w])
        after = (place - 1) >> 6
        parts[some, _SOURCE] = w
        parts[some, _LANES] = quiet[w]
        parts[some, _BLOCK] = word // width
        parts[some, _WORD] = word % width
        parts[some, _NEXT_BLOCK] = after // width
        parts[some, _NEXT_WORD] = after % width
        parts[some, _SHIFT] = shift
        parts[some, _WRITTEN] = quiet[w]
        some += 1
    return some, place


@compile_kernel(nogil=True)
def _list_lanes(blocks, block, quiet, high, place):
    """Write down which lanes of a block come to lie from a place on in the blocks from `high`."""
    size = 64 * quiet.shape[0]
    first = high - blocks.held.shape[0]
    for w in range(quiet.shape[0]):
        left = quiet[w]
        while left:
            lane = lane_at(blocks, block, 64 * w + lowest_one(left))
            left &= left - _ONE
            blocks.lane[first + place // size, place % size] = lane
            place += 1


@compile_kernel(nogil=True)
def _pack_rows(rows, block, high, width, parts):
    """Add the lanes of some parts of a block to the blocks from `high` on."""
    source, target = rows[block], rows[high:].reshape(-1)
    wide, stride = np.uint64(width), np.uint64(rows.shape[1])
    last = np.uint64(63)
    # Row by row: the words of a row lie side by side.
    for place in range(np.uint64(0), stride, wide):
        for k in range(parts.shape[0]):
            part = parts[k]
            found = extract_bits(source[place + part[_SOURCE]], part[_LANES])
            first = place + part[_BLOCK] * stride + part[_WORD]
            target[first] |= found << part[_SHIFT]
            # Nothing where all lanes fit.
            after = place + part[_NEXT_BLOCK] * stride + part[_NEXT_WORD]
            target[after] |= (found >> _ONE) >> (last - part[_SHIFT])


@compile_kernel(nogil=True)
def _lay_rows(rows, out, width, parts):
    """Write the lanes of some parts of a block, which lie packed in `rows`."""
    source = rows.reshape(-1)
    wide, stride = np.uint64(width), np.uint64(rows.shape[1])
    last = np.uint64(63)
    for place in range(np.uint64(0), stride, wide):
        for k in range(parts.shape[0]):
            part = parts[k]
            first = place + part[_BLOCK] * stride + part[_WORD]
            after = place + part[_NEXT_BLOCK] * stride + part[_NEXT_WORD]
            # Bits beyond those of the lanes are not laid anywhere.
            found = source[first] >> part[_SHIFT]
            found |= (source[after] << _ONE) << (last - part[_SHIFT])
            spot, written = place + part[_SOURCE], part[_WRITTEN]
            laid = deposit_bits(found, part[_LANES])
            out[spot] = (out[spot] & ~written) | (laid & written)
