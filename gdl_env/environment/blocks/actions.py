"""The actions of a tick on blocks: are they legal, and what is played; see `blocks/records.py`."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import match_bytes
from gdl_env.engine.batch.word_bits import count_ones, deposit_bits
from gdl_env.environment.blocks.records import WIDTH, open_blocks, open_tables
from gdl_env.environment.lanes.match_handle import open_lanes, open_result

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@compile_kernel(nogil=True)
def first_actions(block_handle):
    """Return where the actions of each player begin among those of all decisions."""
    blocks = open_blocks(block_handle)
    decides, held = blocks.decides, blocks.held
    width = open_tables(block_handle).numbers[WIDTH]
    players = decides.shape[1] // width
    first = np.zeros(players + 1, np.int64)
    for player in range(players):
        count = 0
        for block in range(held.shape[0]):
            for w in range(width):
                count += count_ones(decides[block, player * width + w] & ~held[block, w])
        first[player + 1] = first[player] + count
    return first


@compile_kernel(nogil=True)
def are_legal(block_handle, action):
    """Tell whether the actions of all decisions are legal.

    Where there are few actions, what is chosen comes to lie in the blocks.
    """
    if open_blocks(block_handle).chosen.shape[1]:
        return _lay_actions(block_handle, action, np.empty(64, np.uint8))
    return _look_up_actions(block_handle, action)


@compile_kernel(nogil=True, makes_arrays=False)
def _lay_actions(block_handle, action, own):
    """Do as `are_legal`, 64 lanes at a time; own: room for the actions of these."""
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    width = tables.numbers[WIDTH]
    players, actions = tables.row.shape
    largest = np.uint32(0)
    for k in range(action.shape[0]):
        largest |= np.uint32(action[k])
    # No action has a number above 255: bytes are compared.
    if largest > np.uint32(255):
        return False
    place = 0
    wrong = _ZERO
    for player in range(players):
        row_of = tables.row[player]
        for block in range(blocks.held.shape[0]):
            legal, chosen = blocks.legal[block], blocks.chosen[block]
            for w in range(width):
                told = blocks.decides[block, player * width + w] & ~blocks.held[block, w]
                if told:
                    _copy_bytes(action[place : place + 64], own)
                    place += count_ones(told)
                missing = told
                for choice in range(actions):
                    if row_of[choice] < 0:
                        continue
                    spot = np.uint64(row_of[choice]) * np.uint64(width) + np.uint64(w)
                    bits = deposit_bits(match_bytes(own, np.uint8(choice)), told)
                    chosen[spot] = bits
                    wrong |= bits & ~legal[spot]
                    missing &= ~bits
                wrong |= missing
    return wrong == _ZERO


@compile_kernel(nogil=True, inline='always', makes_arrays=False)
def _copy_bytes(action, own):
    """Copy up to 64 actions as bytes; what is beyond them is no action."""
    count = np.uint64(action.shape[0])
    if count == np.uint64(64):
        for k in range(np.uint64(64)):
            own[k] = np.uint8(action[k])
    else:
        for k in range(np.uint64(64)):
            own[k] = np.uint8(action[k]) if k < count else np.uint8(255)


@compile_kernel(nogil=True, makes_arrays=False)
def _look_up_actions(block_handle, action):
    """Do as `are_legal`, lane by lane."""
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    width = tables.numbers[WIDTH]
    players, actions = tables.row.shape
    rows = tables.does.shape[0]
    # Unsigned places, which compilers need not check for negative ones.
    place, wide = np.uint64(0), np.uint64(width)
    wrong = _ZERO
    for player in range(players):
        row_of = tables.row[player]
        for block in range(blocks.held.shape[0]):
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


@compile_kernel(nogil=True, makes_arrays=False)
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


@compile_kernel(nogil=True, makes_arrays=False)
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
