"""The actions of a tick on blocks: are they legal, and what is played; see `blocks/records.py`."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.environment.blocks.records import WIDTH, open_blocks, open_tables
from gdl_env.environment.lanes.match_handle import open_lanes, open_result

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@compile_kernel(nogil=True)
def are_legal(block_handle, action):
    """Tell whether the actions of all decisions are legal."""
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    width = tables.numbers[WIDTH]
    players, actions = tables.row.shape
    rows = tables.does.shape[0]
    # Unsigned places, which compilers need not check for negative ones.
    place, wide = np.uint64(0), np.uint64(width)
    wrong = _ZERO
    for player in range(players):
        row_of = tables.row[player]
        for block in range(blocks.state.shape[0]):
            legal = blocks.legal[block]
            for w in range(width):
                left = blocks.decides[block, player * width + w] & ~blocks.held[block, w]
                column = np.uint64(w)
                while left:
                    bit = left & (~left + _ONE)
                    left ^= bit
                    choice = np.uint32(action[place])
                    place += _ONE
                    if choice >= actions:
                        return False
                    row = np.uint32(row_of[choice])
                    if row >= rows:
                        return False
                    wrong |= bit & ~legal[np.uint64(row) * wide + column]
    return wrong == _ZERO


@compile_kernel(nogil=True)
def note_actions(handle, block_handle, action):
    """Write down who acts on the decisions of the tick, and what is played."""
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    lanes, result = open_lanes(handle), open_result(handle)
    width = tables.numbers[WIDTH]
    players, count = lanes.decides.shape
    place = 0
    for seat in range(players + 1):
        for lane in range(count):
            asks = False
            for player in range(players):
                asks |= lanes.decides[player, lane]
            asks = asks and not lanes.held[lane]
            acts = asks and lanes.acts[seat, lane]
            result.acting[seat, lane] = acts
            if seat == players:
                continue
            choice = np.int32(-1)
            if lanes.decides[seat, lane] and asks:
                choice = action[place]
                place += 1
            elif acts:
                block, spot = lane // (64 * width), lane % (64 * width)
                w, shift = spot >> 6, np.uint64(spot & 63)
                choice = _only_action(blocks, tables, block, w, shift, seat)
            result.action[seat, lane] = choice


@compile_kernel(nogil=True)
def _only_action(blocks, tables, block, w, shift, seat):
    """Return the action of a player's only legal move: mostly `noop`."""
    width = tables.numbers[WIDTH]
    row = tables.noop[seat]
    if row >= 0 and (blocks.legal[block, np.int64(row) * width + w] >> shift) & _ONE:
        return tables.bit[row]
    for row in range(tables.seat[2 * seat], tables.seat[2 * seat + 1]):
        if (blocks.legal[block, row * width + w] >> shift) & _ONE:
            return tables.bit[row]
    return np.int32(-1)
