"""What is done in a step of the lanes of a block: chosen, forced and drawn; see `records.py`."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import transpose
from gdl_env.engine.batch.layout import FIRST_INPUT
from gdl_env.engine.batch.wide_squares import ACROSS, add_row
from gdl_env.engine.batch.word_bits import count_ones, find_one, lowest_one
from gdl_env.engine.circuit.network.possible import KINDS, MANY
from gdl_env.environment.blocks.records import (
    WIDTH,
    lane_at,
    open_blocks,
    open_tables,
    open_tick,
)
from gdl_env.environment.lanes.match_handle import open_lanes, open_result, open_step_rules
from gdl_env.environment.lanes.serial_kernels import step_of
from gdl_env.play.chance import below, place_of, word_at
from gdl_env.word_rows import drop_words, has_any, join_words, meet_words

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@compile_kernel(nogil=True, makes_arrays=False)
def set_moves(handle, block_handle, block, given, is_told, key):
    """Write what is done in acting lanes into the inputs of a step.

    - given: the actions of all decisions, and where the next of each player is
    - is_told: whether these are decisions
    """
    action, next_action = given
    masks = open_tick(block_handle)
    acting, forced = masks.acting[block], masks.room[0]
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    rules = open_step_rules(handle)
    data, width = rules.program.data, rules.program.width
    first = (FIRST_INPUT + rules.facts) * width
    data[first : first + rules.moves * width] = _ZERO
    players = tables.row.shape[0]
    has_chosen = blocks.chosen.shape[1] > 0
    for seat in range(players + 1):
        own = seat * width
        meet_words(forced, blocks.acts[block], acting, (0, own, 0), width)
        if seat < players and is_told:
            drop_words(forced, forced, blocks.decides[block], (0, 0, own), width)
            if has_chosen:
                _set_chosen(block_handle, block, seat, data, first)
            for w in range(width):
                told = blocks.decides[block, own + w] & acting[w]
                if not has_chosen:
                    done = tables.done[seat], told, next_action[seat]
                    _set_given(done, action, data, first + w, width)
                next_action[seat] += count_ones(told)
        elif seat == players and has_any(forced, 0, acting):
            for w in range(width):
                many = blocks.possible[block, (KINDS * seat + MANY) * width + w] & forced[w]
                forced[w] &= ~many
                if many:
                    _draw_moves(handle, block_handle, block, w, many, key)
        if has_any(forced, 0, acting):
            _set_forced(block_handle, block, seat, data, first)


@compile_kernel(nogil=True, makes_arrays=False)
def _set_chosen(block_handle, block, seat, data, first):
    """Write what is done by the actions that a seat has chosen in the lanes of a block."""
    tables, chosen = open_tables(block_handle), open_blocks(block_handle).chosen[block]
    width = tables.numbers[WIDTH]
    for choice in range(tables.row.shape[1]):
        row = np.int64(tables.row[seat, choice])
        if row < 0:
            continue
        target = first + np.int64(tables.done[seat, choice]) * width
        for low in range(0, width, ACROSS):
            count = min(ACROSS, width - low)
            join_words(data, data, chosen, (target + low, target + low, row * width + low), count)


@compile_kernel(nogil=True, inline='always', makes_arrays=False)
def _set_given(given, action, data, first, width):
    """Write what is done by given actions in the lanes of a word.

    - given: what is done by each action, the lanes, and where their actions begin
    - data, first: the memory of a step, and the word of these lanes in the first row of moves
    """
    row_of, left, start = given
    # Unsigned places, which compilers need not check for negative ones.
    place, column, wide = np.uint64(start), np.uint64(first), np.uint64(width)
    while left:
        bit = left & (~left + _ONE)
        left ^= bit
        done = np.uint64(row_of[np.uint32(action[place])])
        data[column + done * wide] |= bit
        place += _ONE


@compile_kernel(nogil=True, makes_arrays=False)
def _set_forced(block_handle, block, seat, data, first):
    """Write what a seat does in the lanes where it has no choice: mostly `noop`.

    The first row of `room` of TickMasks has these lanes, and the second is written over.
    """
    tables, legal = open_tables(block_handle), open_blocks(block_handle).legal[block]
    masks = open_tick(block_handle)
    forced, left = masks.room[0], masks.room[1]
    width = forced.shape[0]
    row = np.int64(tables.noop[seat])
    if row < 0:
        left = forced
    else:
        some = _ZERO
        target = first + np.int64(tables.does[row]) * width
        for w in range(width):
            passing = forced[w] & legal[row * width + w]
            data[target + w] |= passing
            left[w] = forced[w] & ~passing
            some |= left[w]
        if not some:
            return
    for row in range(tables.seat[2 * seat], tables.seat[2 * seat + 1]):
        target = first + np.int64(tables.does[row]) * width
        for low in range(0, width, ACROSS):
            count = min(ACROSS, width - low)
            add_row(data, target + low, legal, row * width + low, left[low:], count)


@compile_kernel(nogil=True)
def _draw_moves(handle, block_handle, block, w, many, key):
    """Draw a move of `random` in some lanes of a word."""
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    lanes, result = open_lanes(handle), open_result(handle)
    rules = open_step_rules(handle)
    data, width = rules.program.data, rules.program.width
    first = (FIRST_INPUT + rules.facts) * width + w
    seat = tables.row.shape[0]
    low, high = np.int64(tables.seat[2 * seat]), np.int64(tables.seat[2 * seat + 1])
    words = (high - low + 63) >> 6
    # A word of legal moves for each lane.
    legal = np.zeros((words, 64), np.uint64)
    for row in range(low, high):
        moves = blocks.legal[block, row * width + w]
        legal[(row - low) >> 6, (row - low) & 63] = moves & many
    for word in range(words):
        transpose(legal[word])
    while many:
        place = lowest_one(many)
        bit = many & (~many + _ONE)
        many ^= bit
        lane = lane_at(blocks, block, 64 * w + place)
        count = 0
        for word in range(words):
            count += count_ones(legal[word, place])
        step = step_of(lanes.steps, result.ended, lane)
        rank = np.int64(below(word_at(key, place_of(step, seat, lane)), count))
        for word in range(words):
            ones = count_ones(legal[word, place])
            if rank < ones:
                row = low + 64 * word + find_one(legal[word, place], np.uint64(rank))
                data[first + np.int64(tables.does[row]) * width] |= bit
                break
            rank -= ones
