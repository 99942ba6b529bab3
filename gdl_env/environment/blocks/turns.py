"""Whose turn it is in the lanes of a block; see `blocks/records.py`."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import spread_word
from gdl_env.engine.batch.word_bits import lowest_one
from gdl_env.engine.circuit.network.possible import HAS, KINDS, MANY, REAL
from gdl_env.environment.blocks.records import WIDTH, lane_at, open_blocks, open_tables
from gdl_env.environment.lanes.match_handle import open_lanes, open_result, open_seats
from gdl_env.environment.lanes.records import SeatNumber
from gdl_env.environment.lanes.serial_kernels import step_of
from gdl_env.play.chance import TURN_SEAT, place_of, word_at
from gdl_env.play.turn_order import TurnRule, find_mover, find_movers

_IS_SERIAL, _RULE, _MAX_STEPS = SeatNumber.IS_SERIAL, SeatNumber.TURN_RULE, SeatNumber.MAX_STEPS
_RANDOM = int(TurnRule.RANDOM)
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@compile_kernel(nogil=True)
def take_turns(handle, block_handle, block, masks, key):
    """Say who acts next in lanes that have moved; `quiet` gets those that play on.

    - masks: TickMasks; `late` is added lanes whose episode is to be cut
    """
    acting, quiet, late = masks.acting[block], masks.quiet[block], masks.late[block]
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    lanes = open_lanes(handle)
    numbers = open_seats(handle).numbers
    width = acting.shape[0]
    players = tables.row.shape[0]
    limit = numbers[_MAX_STEPS]
    possible = blocks.possible[block]
    movers, able, last = masks.players[0], masks.players[1], masks.players[2]
    for w in range(width):
        goes = acting[w] & blocks.is_open[block, w]
        goes &= ~possible[KINDS * (players + 1) * width + w]
        stuck = goes
        for seat in range(players + 1):
            stuck &= ~possible[(KINDS * seat + HAS) * width + w]
        if limit > 0:
            left = goes
            while left:
                bit = left & (~left + _ONE)
                left ^= bit
                lane = lane_at(blocks, block, 64 * w + lowest_one(bit))
                if lanes.steps[lane] >= limit:
                    stuck |= bit
        late[w] |= stuck
        goes &= ~stuck
        some_act = _ZERO
        some_decide = _ZERO
        for seat in range(players + 1):
            mine = possible[(KINDS * seat + HAS) * width + w] & goes
            kept = blocks.acts[block, seat * width + w] & ~acting[w]
            if numbers[_IS_SERIAL] == 1:
                mine = mine if seat == players else _ZERO
            blocks.acts[block, seat * width + w] = kept | mine
            some_act |= mine
            if seat < players:
                many = possible[(KINDS * seat + MANY) * width + w] & mine
                kept = blocks.decides[block, seat * width + w] & ~acting[w]
                blocks.decides[block, seat * width + w] = kept | many
                some_decide |= many
        if numbers[_IS_SERIAL] == 1:
            pending = goes & ~some_act
            _find_movers(handle, block_handle, (block, w), pending, (able, last), movers, key)
            some_act = goes
            for player in range(players):
                blocks.acts[block, player * width + w] |= movers[player]
                many = possible[(KINDS * player + MANY) * width + w] & movers[player]
                blocks.decides[block, player * width + w] |= many
                some_decide |= many
        quiet[w] = some_act & ~some_decide


@compile_kernel(nogil=True)
def _find_movers(handle, block_handle, spot, pending, room, movers, key):
    """Find who moves in some lanes of a word, by the turn rule.

    - spot: the block and the word; room: two arrays as long as `movers`
    """
    block, w = spot
    blocks = open_blocks(block_handle)
    rule = open_seats(handle).numbers[_RULE]
    players = movers.shape[0]
    width = blocks.is_open.shape[1]
    if rule == _RANDOM:
        movers[:] = _ZERO
        while pending:
            bit = pending & (~pending + _ONE)
            pending ^= bit
            movers[_find_mover(handle, block_handle, block, w, bit, key)] |= bit
        return
    able, last = room
    some = _ZERO
    for player in range(players):
        able[player] = blocks.possible[block, (KINDS * player + REAL) * width + w]
        last[player] = blocks.last[block, player * width + w]
        some |= able[player]
    for player in range(players):
        # Where nobody has more to do than to pass, all may.
        able[player] |= ~some & blocks.possible[block, (KINDS * player + HAS) * width + w]
    find_movers(rule, able, last, pending, movers)


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


@compile_kernel(nogil=True)
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


@compile_kernel(nogil=True)
def _spread(row, out):
    """Write one byte for each bit of some words."""
    whole = out.shape[0] & ~63
    for low in range(0, whole, 64):
        spread_word(out, low, row[low >> 6], 64)
    for place in range(whole, out.shape[0]):
        out[place] = (row[place >> 6] >> np.uint64(place & 63)) & _ONE
