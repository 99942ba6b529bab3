"""Random legal actions of lanes on blocks; see `blocks/records.py`."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.mask_rows import pick_rows
from gdl_env.engine.batch.wide_squares import ACROSS, lane_word, turn_rows
from gdl_env.engine.batch.word_bits import count_ones, find_one, lowest_one
from gdl_env.environment.blocks.actions import first_actions
from gdl_env.environment.blocks.records import WIDTH, open_blocks, open_masks, open_tables
from gdl_env.environment.blocks.views import lay_rows, make_room, show_sheet, size_square
from gdl_env.environment.lanes.match_handle import open_lanes
from gdl_env.play.chance import below, place_of, word_at
from gdl_env.word_rows import copy_items

_ZERO, _ONE = np.uint64(0), np.uint64(1)
# For fewer lanes of a block than this, moves are counted bit by bit.
_FEW_LANES = 8


@compile_kernel(nogil=True)
def draw_blocks(handle, block_handle, player, given, key):
    """Draw an action for each decision, as a tick does for players who give none.

    - player: whose actions are given, -1 for none; given: (L) int32, by lane
    - key: uint64, the chance of the tick

    Returns (decisions) int32: player by player, then by lane.
    """
    blocks, steps = open_blocks(block_handle), open_lanes(handle).steps
    width = open_tables(block_handle).numbers[WIDTH]
    players = blocks.decides.shape[1] // width
    actions = open_tables(block_handle).row.shape[1]
    masks = np.empty((64 * width, (actions + 7) >> 3), np.uint8)
    chosen = np.zeros((players, width), np.uint64)
    place = first_actions(block_handle)
    action = np.empty(place[players], np.int32)
    room = np.empty(64 * ACROSS, np.uint64), np.empty(64, np.uint64), np.empty(64, np.uint64)
    for block in range(blocks.held.shape[0]):
        for seat in range(players):
            count = 0
            for w in range(width):
                mine = blocks.decides[block, seat * width + w] & ~blocks.held[block, w]
                chosen[seat, w] = mine
                count += count_ones(mine)
            own = action[place[seat] : place[seat] + count]
            place[seat] += count
            if seat == player:
                _copy_given(chosen[seat], given[64 * width * block :], own)
            elif count:
                source = seat, 64 * width * block
                if count >= _FEW_LANES and actions <= 64:
                    _draw_words(block_handle, block, chosen, source, steps, key, own, room)
                elif count >= _FEW_LANES:
                    _show_masks(block_handle, block, seat, chosen, masks)
                    _draw_many(masks, chosen[seat], source, steps, key, own, room)
                else:
                    _draw_few(block_handle, block, chosen[seat], source, steps, key, own)
            chosen[seat] = _ZERO
    return action


@compile_kernel(nogil=True, makes_arrays=False)
def _copy_given(chosen, given, own):
    """Copy the actions of chosen lanes of a block."""
    place = 0
    for w in range(chosen.shape[0]):
        left = chosen[w]
        if left == ~_ZERO:
            copy_items(given[64 * w : 64 * w + 64], own[place : place + 64])
            place += 64
            continue
        while left:
            own[place] = given[64 * w + lowest_one(left)]
            left &= left - _ONE
            place += 1


@compile_kernel(nogil=True)
def _show_masks(block_handle, block, seat, chosen, out):
    """Write the masks of chosen lanes of a block, which are those of one player."""
    players = chosen.shape[0]
    first, end = np.zeros(players, np.int64), np.zeros(players, np.int64)
    end[seat] = out.shape[0]
    sheet, legal = open_masks(block_handle), open_blocks(block_handle).legal[block]
    room = make_room(players, chosen.shape[1])
    show_sheet(sheet, legal, chosen, chosen, (first, end), (out, room))


@compile_kernel(nogil=True, makes_arrays=False)
def _draw_many(masks, chosen, source, steps, key, own, room):
    """Draw the actions of chosen lanes by their masks.

    - source: the player, and the first lane of the block
    - room: squares of bits, random words of 64 lanes, and those of chosen ones
    """
    seat, first = source
    _, draws, packed = room
    place = 0
    for w in range(chosen.shape[0]):
        left = chosen[w]
        if left:
            _fill_draws(steps[first + 64 * w :], (first + 64 * w, seat), key, draws)
        count = np.uint64(0)
        while left:
            packed[count] = draws[np.uint64(lowest_one(left))]
            left &= left - _ONE
            count += _ONE
        end = place + np.int64(count)
        pick_rows(masks, place, packed, own[place:end])
        place = end


@compile_kernel(nogil=True, makes_arrays=False)
def _draw_words(block_handle, block, chosen, source, steps, key, own, room):
    """Do as `_draw_many` for up to 64 actions, whose masks need not be written."""
    sheet, legal = open_masks(block_handle), open_blocks(block_handle).legal[block]
    seat, first = source
    width = chosen.shape[1]
    size = size_square(sheet.size[0])
    rows = np.uint64(size)
    every = ~_ZERO >> np.uint64(64 - size)
    squares, draws, _ = room
    # Unsigned places, which compilers need not check for negative ones.
    place = _ZERO
    for low in range(0, width, ACROSS):
        lay_rows(sheet, legal, chosen, (0, size, low), squares)
        turn_rows(squares, size)
        for w in range(low, min(low + ACROSS, width)):
            left = chosen[seat, w]
            column = np.uint64(w - low)
            if left:
                _fill_draws(steps[first + 64 * w :], (first + 64 * w, seat), key, draws)
            while left:
                spot = np.uint64(lowest_one(left))
                left &= left - _ONE
                word = lane_word(squares, rows, column, spot) & every
                own[place] = find_one(word, below(draws[spot], count_ones(word)))
                place += _ONE


@compile_kernel(nogil=True, makes_arrays=False)
def _fill_draws(steps, source, key, draws):
    """Write the random words of a player for 64 lanes: by themselves, several at a time.

    - source: the first of the lanes, and the player
    """
    lane, player = np.uint64(source[0]), np.uint64(source[1])
    for k in range(np.uint64(min(64, steps.shape[0]))):
        # Nothing has ended yet in this tick.
        draws[k] = word_at(key, place_of(np.uint64(steps[k]) << _ONE, player, lane + k))


@compile_kernel(nogil=True, makes_arrays=False)
def _draw_few(block_handle, block, chosen, source, steps, key, own):
    """Draw the actions of chosen lanes of a block bit by bit; see `_draw_many`."""
    legal, masks = open_blocks(block_handle).legal[block], open_masks(block_handle)
    width = chosen.shape[0]
    seat, first = source
    low, high = masks.start[seat, 0], masks.start[seat, masks.start.shape[1] - 1]
    place = 0
    for w in range(width):
        left = chosen[w]
        while left:
            shift = np.uint64(lowest_one(left))
            left &= left - _ONE
            lane = first + 64 * w + np.int64(shift)
            count = 0
            for k in range(low, high):
                count += (legal[np.int64(masks.bit[k]) * width + w] >> shift) & _ONE
            draw = word_at(key, place_of(2 * steps[lane], seat, lane))
            rank = np.int64(below(draw, count))
            own[place] = -1
            for k in range(low, high):
                rank -= np.int64((legal[np.int64(masks.bit[k]) * width + w] >> shift) & _ONE)
                if rank < 0:
                    own[place] = masks.column[k]
                    break
            place += 1
