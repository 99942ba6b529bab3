"""Whose turn it is in the lanes of a block; see `blocks/records.py`."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import spread_word
from gdl_env.engine.batch.word_bits import lowest_one
from gdl_env.engine.circuit.network.possible import HAS, KINDS, MANY, REAL
from gdl_env.environment.blocks.records import (
    WIDTH,
    lane_at,
    open_blocks,
    open_tables,
    open_tick,
    open_turns,
)
from gdl_env.environment.lanes.match_handle import open_lanes, open_result, open_seats
from gdl_env.environment.lanes.records import SeatNumber
from gdl_env.environment.lanes.serial_kernels import step_of
from gdl_env.play.chance import TURN_SEAT, place_of, word_at
from gdl_env.play.turn_order import TurnRule, find_mover, find_movers
from gdl_env.word_rows import choose_words, copy_items, drop_words, join_words, meet_words

_IS_SERIAL, _RULE, _MAX_STEPS = SeatNumber.IS_SERIAL, SeatNumber.TURN_RULE, SeatNumber.MAX_STEPS
_RANDOM = int(TurnRule.RANDOM)
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@compile_kernel(nogil=True, makes_arrays=False)
def take_turns(handle, block_handle, block, key):
    """Say who acts next in lanes that have moved; `quiet` gets those that play on.

    `late` of TickMasks is added lanes whose episode is to be cut.
    """
    blocks, numbers = open_blocks(block_handle), open_seats(handle).numbers
    possible, acts, decides = blocks.possible[block], blocks.acts[block], blocks.decides[block]
    masks, turns = open_tick(block_handle), open_turns(block_handle)
    acting, late = masks.acting[block], masks.late[block]
    goes, deciding, movers, room = turns.goes, turns.deciding, turns.movers, turns.room
    width = acting.shape[0]
    seats = acts.shape[0] // width
    meet_words(goes, acting, blocks.is_open[block], (0, 0, 0), width)
    drop_words(goes, goes, possible, (0, 0, KINDS * seats * width), width)
    # Those in which nobody has a move, or that have taken too many steps.
    copy_items(goes, room)
    for seat in range(seats):
        drop_words(room, room, possible, (0, 0, (KINDS * seat + HAS) * width), width)
    if numbers[_MAX_STEPS] > 0:
        _find_exhausted(handle, block_handle, block)
    join_words(late, late, room, (0, 0, 0), width)
    drop_words(goes, goes, room, (0, 0, 0), width)
    if numbers[_IS_SERIAL] == 1:
        _find_movers(handle, block_handle, block, key)
    else:
        for seat in range(seats):
            has = (KINDS * seat + HAS) * width
            meet_words(movers, goes, possible, (seat * width, 0, has), width)
    deciding[:] = _ZERO
    for seat in range(seats):
        own, many = seat * width, (KINDS * seat + MANY) * width
        choose_words(acts, movers, acts, acting, (own, own, own))
        if seat < seats - 1:
            meet_words(room, movers, possible, (0, own, many), width)
            choose_words(decides, room, decides, acting, (own, 0, own))
            join_words(deciding, deciding, room, (0, 0, 0), width)
    drop_words(masks.quiet[block], goes, deciding, (0, 0, 0), width)


@compile_kernel(nogil=True, makes_arrays=False)
def _find_exhausted(handle, block_handle, block):
    """Add the lanes of a block that have taken as many steps as they may to `room`."""
    blocks, turns = open_blocks(block_handle), open_turns(block_handle)
    limit, steps = open_seats(handle).numbers[_MAX_STEPS], open_lanes(handle).steps
    for w in range(blocks.is_open.shape[1]):
        left = turns.goes[w]
        while left:
            bit = left & (~left + _ONE)
            left ^= bit
            if steps[lane_at(blocks, block, 64 * w + lowest_one(bit))] >= limit:
                turns.room[w] |= bit


@compile_kernel(nogil=True, makes_arrays=False)
def _find_movers(handle, block_handle, block, key):
    """Find who moves in the lanes of a serial game that go on: `random` first.

    Of TurnRows, `goes` is given, and `movers` are filled in.
    """
    blocks, turns = open_blocks(block_handle), open_turns(block_handle)
    possible, last = blocks.possible[block], blocks.last[block]
    goes, movers, able, pending, some = (
        turns.goes,
        turns.movers,
        turns.able,
        turns.room,
        turns.more,
    )
    rule, width = open_seats(handle).numbers[_RULE], blocks.is_open.shape[1]
    players = last.shape[0] // width
    chance = (KINDS * players + HAS) * width
    meet_words(movers, goes, possible, (players * width, 0, chance), width)
    drop_words(pending, goes, possible, (0, 0, chance), width)
    if rule == _RANDOM:
        movers[: players * width] = _ZERO
        for w in range(width):
            left = pending[w]
            while left:
                bit = left & (~left + _ONE)
                left ^= bit
                player = _find_mover(handle, block_handle, block, w, bit, key)
                movers[player * width + w] |= bit
        return
    some[:] = _ZERO
    for player in range(players):
        own, real = player * width, (KINDS * player + REAL) * width
        copy_items(possible[real : real + width], able[own:])
        join_words(some, some, possible, (0, 0, real), width)
    for player in range(players):
        # Where nobody has more to do than to pass, all may.
        own, has = player * width, (KINDS * player + HAS) * width
        drop_words(movers, possible, some, (own, has, 0), width)
        join_words(able, able, movers, (own, own, own), width)
    find_movers(rule, able, last, pending, movers, (some, turns.rest))


@compile_kernel(nogil=True)
def _find_mover(handle, block_handle, block, w, bit, key):
    """Return the player who moves in a lane, by the turn rule RANDOM."""
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    lanes, result = open_lanes(handle), open_result(handle)
    width = tables.numbers[WIDTH]
    players = tables.row.shape[0]
    lane = lane_at(blocks, block, 64 * w + lowest_one(bit))
    able = np.zeros(players, np.bool_)
    found = False
    for player in range(players):
        able[player] = blocks.possible[block, (KINDS * player + REAL) * width + w] & bit != _ZERO
        found |= able[player]
    if not found:
        for player in range(players):
            able[player] = (
                blocks.possible[block, (KINDS * player + HAS) * width + w] & bit != _ZERO
            )
    step = step_of(lanes.steps, result.ended, lane)
    word = word_at(key, place_of(step, TURN_SEAT, lane))
    # By this rule it does not matter who moved last.
    return find_mover(_RANDOM, able, -1, word)


@compile_kernel(nogil=True, makes_arrays=False)
def show_turns(handle, block_handle, block):
    """Spread who acts and who decides in a block to one byte a lane."""
    blocks, lanes = open_blocks(block_handle), open_lanes(handle)
    width = blocks.is_open.shape[1]
    seats = lanes.acts.shape[0]
    first = 64 * block * width
    last = min(first + 64 * width, lanes.steps.shape[0])
    for seat in range(seats):
        _spread(
            blocks.acts[block, seat * width : (seat + 1) * width], lanes.acts[seat, first:last]
        )
    for player in range(seats - 1):
        rows = blocks.decides[block, player * width : (player + 1) * width]
        _spread(rows, lanes.decides[player, first:last])


@compile_kernel(nogil=True, makes_arrays=False)
def _spread(row, out):
    """Write one byte for each bit of some words."""
    whole = out.shape[0] & ~63
    for low in range(0, whole, 64):
        spread_word(out, low, row[low >> 6], 64)
    for place in range(whole, out.shape[0]):
        out[place] = (row[place >> 6] >> np.uint64(place & 63)) & _ONE
