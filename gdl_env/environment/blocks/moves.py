"""What is done in a step of the lanes of a block: chosen, forced and drawn; see `records.py`."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import transpose
from gdl_env.engine.batch.layout import FIRST_INPUT, ONE
from gdl_env.engine.batch.wide_squares import ACROSS, add_row
from gdl_env.engine.batch.word_bits import count_ones, find_one, lowest_one
from gdl_env.engine.circuit.network.possible import KINDS, MANY
from gdl_env.environment.blocks.records import WIDTH, lane_at, open_blocks, open_tables
from gdl_env.environment.lanes.match_handle import open_lanes, open_result, open_step_rules
from gdl_env.environment.lanes.serial_kernels import step_of
from gdl_env.play.chance import below, place_of, word_at

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@compile_kernel(nogil=True)
def set_moves(handle, block_handle, block, given, masks, is_told, key):
    """Write what is done in acting lanes into the inputs of a step.

    - given: the actions of all decisions, and where the next of each player is
    - masks: TickMasks
    - is_told: whether these are decisions
    """
    action, next_action = given
    acting, forced = masks.acting[block], masks.room[0]
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    rules = open_step_rules(handle)
    data, width = rules.program.data, rules.program.width
    first = (FIRST_INPUT + rules.facts) * width
    data[first : first + rules.moves * width] = _ZERO
    players = tables.row.shape[0]
    has_chosen = blocks.chosen.shape[1] > 0
    for seat in range(players + 1):
        some = _ZERO
        if has_chosen and seat < players and is_told:
            _set_chosen(tables, seat, blocks.chosen[block], data, first)
        for w in range(width):
            forced[w] = blocks.acts[block, seat * width + w] & acting[w]
            if seat < players and is_told:
                told = blocks.decides[block, seat * width + w] & acting[w]
                forced[w] &= ~told
                if not has_chosen:
                    own = tables.done[seat], told, next_action[seat]
                    _set_given(own, action, data, first + w, width)
                next_action[seat] += count_ones(told)
            elif seat == players:
                many = blocks.possible[block, (KINDS * seat + MANY) * width + w] & forced[w]
                forced[w] &= ~many
                if many:
                    _draw_moves(handle, block_handle, block, w, many, key)
            some |= forced[w]
        if some:
            _set_forced(tables, seat, blocks.legal[block], (forced, masks.room[1]), data, first)


@compile_kernel(nogil=True)
def _set_chosen(tables, seat, chosen, data, first):
    """Write what is done by the actions that a seat has chosen in the lanes of a block."""
    width = tables.numbers[WIDTH]
    every = data[ONE * width : (ONE + 1) * width]
    for choice in range(tables.row.shape[1]):
        row = np.int64(tables.row[seat, choice])
        if row < 0:
            continue
        target = first + np.int64(tables.done[seat, choice]) * width
        for low in range(0, width, ACROSS):
            count = min(ACROSS, width - low)
            add_row(data, target + low, chosen, row * width + low, every, count)


@compile_kernel(nogil=True, inline='always')
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


@compile_kernel(nogil=True)
def _set_forced(tables, seat, legal, lanes, data, first):
    """Write what a seat does in the lanes where it has no choice: mostly `noop`.

    - lanes: those, and room for as many words
    """
    forced, left = lanes
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
