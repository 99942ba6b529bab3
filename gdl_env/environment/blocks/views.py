"""What learners are shown of blocks: packed rows of bytes; see `blocks/records.py`."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import store_word
from gdl_env.engine.batch.wide_squares import ACROSS, add_row, lane_word, turn_rows
from gdl_env.engine.batch.word_bits import count_ones, lowest_one
from gdl_env.environment.blocks.actions import first_actions
from gdl_env.environment.blocks.records import (
    WIDTH,
    open_blocks,
    open_masks,
    open_tables,
    open_views,
)
from gdl_env.environment.blocks.short_rows import CAN_SORT, order_lanes, write_short_rows
from gdl_env.word_rows import copy_items, join_words

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@compile_kernel(nogil=True)
def make_room(players, width):
    """Return the room of `show_sheet`: squares, lanes in order, lanes of viewers, next rows."""
    return (
        np.empty(64 * ACROSS, np.uint64),
        np.empty(64 * ACROSS * 8, np.uint8),
        np.empty((players, width), np.uint64),
        np.empty(players, np.int64),
    )


@compile_kernel(nogil=True)
def show_decisions(block_handle, observation, legal):
    """Write what is seen in all decisions, player by player, and what is legal there.

    - observation, legal: (decisions, bytes) uint8; observations without rows are not wanted
    """
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    views, masks = open_views(block_handle), open_masks(block_handle)
    width, players = tables.numbers[WIDTH], masks.viewer.shape[0]
    place = first_actions(block_handle)
    rows, room = (place, place[1:].copy()), make_room(players, width)
    decides = np.empty((players, width), np.uint64)
    chosen = np.empty((players, width), np.uint64)
    for block in range(blocks.held.shape[0]):
        several = _ZERO
        for w in range(width):
            some = _ZERO
            for player in range(players):
                mine = blocks.decides[block, player * width + w] & ~blocks.held[block, w]
                decides[player, w] = mine
                several |= some & mine
                some |= mine
        # Where one role moves at a time, all players are shown in one go: squares of bits are
        # turned over once, not once for each player.
        for turn in range(players if several else 1):
            chosen[:] = decides
            if several:
                chosen[:] = _ZERO
                chosen[turn] = decides[turn]
            if observation.shape[0] == legal.shape[0]:
                show_sheet(views, blocks.state[block], chosen, chosen, rows, (observation, room))
            show_sheet(masks, blocks.legal[block], chosen, chosen, rows, (legal, room))
        for player in range(players):
            for w in range(width):
                place[player] += count_ones(decides[player, w])


@compile_kernel(nogil=True)
def show_player(block_handle, player, observation, legal):
    """Write what a player sees in all lanes, and what is legal where it decides.

    - observation, legal: (L, bytes) uint8
    """
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    views, masks = open_views(block_handle), open_masks(block_handle)
    width, players = tables.numbers[WIDTH], masks.viewer.shape[0]
    place = np.zeros(players, np.int64)
    rows, room = (place, np.full(players, observation.shape[0])), make_room(players, width)
    chosen = np.zeros((players, width), np.uint64)
    shown = np.zeros((players, width), np.uint64)
    for block in range(blocks.held.shape[0]):
        for w in range(width):
            count = min(64, observation.shape[0] - 64 * (block * width + w))
            every = ~_ZERO if count == 64 else (_ONE << np.uint64(max(count, 0))) - _ONE
            chosen[player, w] = every
            shown[player, w] = blocks.decides[block, player * width + w]
        show_sheet(views, blocks.state[block], chosen, chosen, rows, (observation, room))
        show_sheet(masks, blocks.legal[block], shown, chosen, rows, (legal, room))
        place[player] += 64 * width


@compile_kernel(nogil=True)
def show_final(block_handle, player, bits, lanes, observation):
    """Write what a player saw last in the lanes that ended in a tick, in rising order.

    - bits, lanes: `final_bits` and `final_lanes` of its TickResult
    - observation: (lanes that ended, bytes) uint8

    The answer is False, and nothing is written, if some of these lanes are not among `lanes`.
    """
    views = open_views(block_handle)
    players, width = views.viewer.shape[0], lanes.shape[1]
    count = 0
    for block in range(lanes.shape[0]):
        for w in range(width):
            count += count_ones(lanes[block, w])
    if count != observation.shape[0]:
        return False
    place = np.zeros(players, np.int64)
    rows, room = (place, np.full(players, count)), make_room(players, width)
    chosen = np.zeros((players, width), np.uint64)
    for block in range(lanes.shape[0]):
        own = 0
        for w in range(width):
            chosen[player, w] = lanes[block, w]
            own += count_ones(lanes[block, w])
        if own:
            show_sheet(views, bits[block], chosen, chosen, rows, (observation, room))
            place[player] += own
    return True


@compile_kernel(nogil=True, makes_arrays=False)
def show_sheet(sheet, source, shown, chosen, rows, target):
    """Turn rows of bits of a block into rows of bytes of its lanes.

    - sheet: Sheet; source: the rows of the block
    - shown: (P, w) words, the lanes in which players are shown what is true there
    - chosen: (P, w) words, the lanes that are written; no lane for two players
    - rows: (P) each, the row of `out` that a player's lanes begin with, and the one behind all of
      that player's
    - target: (rows, bytes) uint8, and room: see `make_room`
    """
    players, width = chosen.shape
    out, (squares, lanes, mine, row) = target
    mine[:] = _ZERO
    for player in range(players):
        for w in range(width):
            mine[sheet.viewer[player], w] |= shown[player, w]
    # Whether a row is as long as a square: then many are written at a time.
    is_short = CAN_SORT and size_square(sheet.size[0]) == 8 * out.shape[1]
    # The last word of a row first: what it writes beyond the row is overwritten later.
    for word in range(sheet.start.shape[1] - 2, -1, -1):
        size = size_square(sheet.size[0] - 64 * word)
        copy_items(rows[0][:players], row)
        for first in range(0, width, ACROSS):
            lay_rows(sheet, source, mine, (word, size, first), squares)
            turn_rows(squares, size)
            if is_short:
                order_lanes(squares, size, lanes)
            for w in range(first, min(first + ACROSS, width)):
                for player in range(players):
                    left = chosen[player, w]
                    if left:
                        own = row[player], rows[1][player]
                        short = size, w - first, left
                        if not is_short or not write_short_rows(lanes, short, out, own):
                            square = size, np.uint64(w - first), left, word
                            write_rows(squares, square, out, own)
                        row[player] += count_ones(left)


@compile_kernel(nogil=True, makes_arrays=False)
def size_square(count):
    """Return how many rows a square needs for the entries that are left: 64, 32, 16 or 8."""
    size = 64
    while 2 * count <= size and size > 8:
        size >>= 1
    return size


@compile_kernel(nogil=True, makes_arrays=False)
def lay_rows(sheet, source, mine, part, squares):
    """Lay 64 entries at most of the lanes of a block into squares.

    - part: the word of a row that they make up, how many rows are laid, and the first of up to
      eight words of the block
    """
    players, width = mine.shape
    word, size, first = part
    count = min(ACROSS, width - first)
    squares[: size * ACROSS] = _ZERO
    for player in range(players):
        if sheet.viewer[player] != player:
            continue
        mask = mine[player, first:]
        for k in range(sheet.start[player, word], sheet.start[player, word + 1]):
            place = (np.int64(sheet.column[k]) & 63) * ACROSS
            add_row(squares, place, source, np.int64(sheet.bit[k]) * width + first, mask, count)
    low, high = sheet.start[players, word], sheet.start[players, word + 1]
    for k in range(low, high):
        place = (np.int64(sheet.column[k]) & 63) * ACROSS
        spot = np.int64(sheet.bit[k]) * width + first
        join_words(squares, squares, source, (place, place, spot), count)


@compile_kernel(nogil=True, makes_arrays=False)
def write_rows(squares, square, out, rows):
    """Write words of chosen lanes, one after the other, into rows of bytes.

    - squares: see `wide_squares`
    - square: how many rows there are, which square, the bits of chosen lanes, and which word of a
      row of bytes theirs is
    - out: (rows, bytes) uint8
    - rows: the row to begin with, and the one behind those that are still to be written

    Up to there a whole word may be written: what runs over the end of a row is overwritten later.
    """
    size, w, chosen, word = square
    stride = out.shape[1]
    length = min(8, stride - 8 * word)
    row, end = rows
    safe = end - (8 + stride - 1) // stride
    rows_of_square = np.uint64(size)
    if length == 8 or row + count_ones(chosen) <= safe:
        offset = row * stride + 8 * word
        while chosen:
            lane = np.uint64(lowest_one(chosen))
            chosen &= chosen - _ONE
            store_word(out, offset, lane_word(squares, rows_of_square, w, lane))
            offset += stride
        return
    while chosen:
        value = lane_word(squares, rows_of_square, w, np.uint64(lowest_one(chosen)))
        chosen &= chosen - _ONE
        for byte in range(length):
            out[row, 8 * word + byte] = value & np.uint64(255)
            value >>= np.uint64(8)
        row += 1
