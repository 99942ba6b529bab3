"""Lanes that play on without a decision, packed from many blocks into few; see `records.py`.

A pass over a block takes the same time for one lane as for all. So lanes that play on move to
spare blocks, side by side, and from these, once few are left, to others; in the end, all are laid
back where they came from.

Most rows need not be moved, which a glance at a whole row tells: facts that hold in none of the
lanes, before and after, and facts that no step has changed.
"""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.word_bits import count_ones, deposit_bits, extract_bits, lowest_one
from gdl_env.environment.blocks.records import lane_at, open_blocks, open_tick
from gdl_env.environment.lanes.match_handle import open_result
from gdl_env.word_rows import are_equal, has_any, meet_words

_ZERO, _ONE = np.uint64(0), np.uint64(1)
# Columns of a part, a word of a block that has lanes to move: which word; the lanes; the place
# among packed words, counted by rows of a block and words of a row, of the first of them and of
# those that do not fit there (the same if all fit); the bit of the first; and which lanes are
# written when they are laid back.
_SOURCE, _LANES, _BLOCK, _WORD, _NEXT_BLOCK, _NEXT_WORD, _SHIFT, _WRITTEN = range(8)
_PARTS = 8
# Rows that are moved together, part by part: what a part needs stays in registers meanwhile, and
# the rows stay in the nearest cache.
_TOGETHER = 64


@compile_kernel(nogil=True)
def pack_quiet(block_handle, low, high, count):
    """Copy the quiet lanes of blocks `low` to `high` to the spare blocks behind them.

    - count: how many there are

    In their old places, lanes stay quiet until `lay_back`. Returns the block behind those that
    are taken.
    """
    blocks, masks = open_blocks(block_handle), open_tick(block_handle)
    width, home = masks.quiet.shape[1], blocks.held.shape[0]
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
            quiet = masks.quiet[block]
            _list_lanes(blocks, block, quiet, high, first)
            for rows in _all_rows(blocks):
                _pack_rows(rows, (block, high), quiet, parts[:some])
            _pack_rows(masks.gone, (block, high), quiet, parts[:some])
    blocks.before[high - home : end - home] = blocks.state[high:end]
    return end


@compile_kernel(nogil=True)
def lay_back(handle, block_handle, low, high, end):
    """Copy lanes from blocks `high` to `end` back to where `pack_quiet` found them."""
    blocks, result = open_blocks(block_handle), open_result(handle)
    masks = open_tick(block_handle)
    width, home = masks.quiet.shape[1], blocks.held.shape[0]
    gone = _ZERO
    for block in range(high, end):
        for w in range(width):
            gone |= masks.gone[block, w]
    changed = _find_changed(blocks, high, end, width)
    parts = np.empty((width, _PARTS), np.uint64)
    place = 0
    for block in range(low, high):
        some, place = _find_parts(masks.quiet[block], place, parts)
        if some == 0:
            continue
        own = parts[:some]
        _lay_rows(blocks.state[high:], blocks.state[block], width, own, changed)
        for rows in _short_rows(blocks):
            every = np.arange(rows.shape[1] // width)
            _lay_rows(rows[high:], rows[block], width, own, every)
        first = np.zeros(1, np.int64)
        _lay_rows(masks.late[high:], masks.late[block], width, own, first)
        if gone:
            before = masks.room[0]
            before[:] = masks.gone[block]
            _lay_rows(masks.gone[high:], masks.gone[block], width, own, first)
            # Only of lanes that ended meanwhile the last states are there.
            ended = 0
            for k in range(some):
                w = np.int64(own[k, _SOURCE])
                written = masks.gone[block, w] & ~before[w]
                if block < home:
                    result.final_lanes[block, w] |= written
                if written:
                    parts[ended] = own[k]
                    parts[ended, _WRITTEN] = written
                    ended += 1
            if ended:
                kept = result.final_bits[block] if block < home else blocks.kept[block - home]
                every = np.arange(kept.shape[0] // width)
                _lay_rows(blocks.kept[high - home :], kept, width, parts[:ended], every)
        masks.quiet[block] = _ZERO


@compile_kernel(nogil=True)
def _all_rows(blocks):
    """Return the arrays that hold where the lanes of blocks are."""
    return (blocks.state,) + _short_rows(blocks)  # noqa: RUF005 - numba has no other form


@compile_kernel(nogil=True)
def _short_rows(blocks):
    """Return the arrays that hold where lanes are, but the states."""
    return (
        blocks.legal,
        blocks.possible,
        blocks.acts,
        blocks.decides,
        blocks.last,
        blocks.is_open,
    )


@compile_kernel(nogil=True)
def _find_changed(blocks, high, end, width):
    """Return the rows of states that have changed since lanes were packed into some blocks."""
    home, rows = blocks.held.shape[0], blocks.state.shape[1] // width
    changed = np.empty(rows, np.int64)
    count = 0
    for row in range(rows):
        is_same = True
        for block in range(high, end):
            state, before = blocks.state[block], blocks.before[block - home]
            is_same = is_same and are_equal(state, before, row * width, width)
        changed[count] = row
        count += not is_same
    return changed[:count]


@compile_kernel(nogil=True, makes_arrays=False)
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


@compile_kernel(nogil=True, makes_arrays=False)
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
def _find_places(parts, stride):
    """Return where the lanes of each part begin, and continue, in packed rows of this length."""
    first = parts[:, _BLOCK] * stride + parts[:, _WORD]
    after = parts[:, _NEXT_BLOCK] * stride + parts[:, _NEXT_WORD]
    return first, after


@compile_kernel(nogil=True)
def _pack_rows(rows, spots, quiet, parts):
    """Add the quiet lanes of a block to packed blocks.

    - spots: the block, and the first of the packed ones
    - parts: those of the block
    """
    block, high = spots
    source, target = rows[block], rows[high:].reshape(-1)
    width, stride = np.uint64(quiet.shape[0]), np.uint64(rows.shape[1])
    first, after = _find_places(parts, stride)
    last, many = np.uint64(63), np.uint64(_TOGETHER)
    places = np.empty(_TOGETHER, np.uint64)
    for low in range(_ZERO, stride, many * width):
        count = _ZERO
        for place in range(low, min(low + many * width, stride), width):
            places[count] = place
            count += _ONE if has_any(source, np.int64(place), quiet) else _ZERO
        for k in range(np.uint64(parts.shape[0])):
            word, lanes, shift = parts[k, _SOURCE], parts[k, _LANES], parts[k, _SHIFT]
            begin, then = first[k], after[k]
            for index in range(count):
                place = places[index]
                found = extract_bits(source[place + word], lanes)
                target[place + begin] |= found << shift
                # Nothing where all lanes fit.
                target[place + then] |= (found >> _ONE) >> (last - shift)


@compile_kernel(nogil=True)
def _lay_rows(rows, out, width, parts, chosen):
    """Write chosen rows of the lanes of some parts of a block, which lie packed in `rows`."""
    source, wide = rows.reshape(-1), np.uint64(width)
    first, after = _find_places(parts, np.uint64(rows.shape[1]))
    words = _join_places(first, after)
    others = np.full(width, ~_ZERO)
    for k in range(parts.shape[0]):
        others[parts[k, _SOURCE]] = ~parts[k, _WRITTEN]
    last = np.uint64(63)
    places = np.empty(_TOGETHER, np.uint64)
    for low in range(0, chosen.shape[0], _TOGETHER):
        count = _ZERO
        for index in range(low, min(low + _TOGETHER, chosen.shape[0])):
            place = np.uint64(chosen[index]) * wide
            some = _ZERO
            for k in range(words.shape[0]):
                some |= source[place + words[k]]
            if some == _ZERO:
                spot = np.int64(place)
                meet_words(out, out, others, (spot, spot, 0), width)
            else:
                places[count] = place
                count += _ONE
        for k in range(np.uint64(parts.shape[0])):
            word, lanes, shift = parts[k, _SOURCE], parts[k, _LANES], parts[k, _SHIFT]
            begin, then, written = first[k], after[k], parts[k, _WRITTEN]
            for index in range(count):
                place = places[index]
                # Bits beyond those of the lanes are not laid anywhere.
                found = source[place + begin] >> shift
                found |= (source[place + then] << _ONE) << (last - shift)
                laid = deposit_bits(found, lanes)
                spot = place + word
                out[spot] = (out[spot] & ~written) | (laid & written)


@compile_kernel(nogil=True)
def _join_places(first, after):
    """Return the words of a packed row that any part lies in, each once: they rise."""
    words = np.empty(2 * first.shape[0], np.uint64)
    count = 0
    for k in range(first.shape[0]):
        for place in (first[k], after[k]):
            if count == 0 or words[count - 1] != place:
                words[count] = place
                count += 1
    return words[:count]
