"""Ends of episodes in the lanes of a block; see `blocks/records.py`."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import (
    add_where,
    clear_where,
    raise_where,
    spread_word,
    transpose,
)
from gdl_env.engine.batch.layout import FIRST_INPUT, ONE
from gdl_env.engine.batch.word_bits import lowest_one
from gdl_env.engine.circuit.tape.program import run_program
from gdl_env.environment.blocks.records import lane_at, open_blocks, open_tables, open_tick
from gdl_env.environment.lanes.match_handle import (
    open_goals,
    open_lanes,
    open_look_rules,
    open_result,
    open_score_rules,
    open_step_rules,
)
from gdl_env.word_rows import choose_words, drop_words, has_any, join_words, meet_words

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@compile_kernel(nogil=True, makes_arrays=False)
def end_lanes(handle, block_handle, block):
    """End the episodes of acting lanes that are over, and store what is possible in the block.

    Of TickMasks, `gone` collects the lanes that ended in this tick: none ends twice. The second
    and third row of `room` get the lanes that end, and that begin again.

    Returns whether any ended. States are stored later: see `store_states`.
    """
    masks = open_tick(block_handle)
    acting, gone = masks.acting[block], masks.gone[block]
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    look = open_look_rules(handle)
    data, width = look.program.data, look.program.width
    ending, again = masks.room[1], masks.room[2]
    meet_words(ending, acting, data, (0, 0, np.int64(look.terminal) * width), width)
    drop_words(ending, ending, gone, (0, 0, 0), width)
    again[:] = _ZERO
    has_ends = has_any(ending, 0, acting)
    if has_ends:
        join_words(gone, gone, ending, (0, 0, 0), width)
        for w in range(width):
            if ending[w]:
                closing = _begin_again(handle, block_handle, (block, w), gone[w], ending[w])
                blocks.is_open[block, w] &= ~closing
                again[w] = ending[w] & ~closing
        last = blocks.last[block]
        for place in range(0, last.shape[0], width):
            drop_words(last, last, again, (place, place, 0), width)
    count = tables.legal.shape[0]
    _store(data, tables.legal, tables.first_legal, again, blocks.legal[block], count)
    count = look.possible.shape[0]
    _store(data, look.possible, tables.first_possible, again, blocks.possible[block], count)
    return has_ends


@compile_kernel(nogil=True, makes_arrays=False)
def store_states(handle, block_handle, block, has_ends):
    """Store the states of lanes that have moved, which lie in the step program.

    - has_ends: whether any ends

    The rows of `room` of TickMasks have the lanes that have moved, that end, and that begin again.

    Last states of lanes that end are kept, for `score_lanes`.
    """
    masks = open_tick(block_handle)
    moving = masks.room[0]
    if not has_ends:
        _store_moved(handle, block_handle, block, moving)
        return
    blocks, result = open_blocks(block_handle), open_result(handle)
    home = blocks.held.shape[0]
    ending, again = masks.room[1], masks.room[2]
    if block < home:
        _store_ends(handle, block_handle, block, (moving, ending, again), result.final_bits[block])
        for w in range(ending.shape[0]):
            result.final_lanes[block, w] |= ending[w]
    else:
        kept = blocks.kept[block - home]
        _store_ends(handle, block_handle, block, (moving, ending, again), kept)


@compile_kernel(nogil=True, makes_arrays=False)
def _store(data, slots, first, again, out, count):
    """Store rows of a program; lanes that begin again get the first value instead."""
    width = again.shape[0]
    for row in range(count):
        place, source = row * width, np.int64(slots[row]) * width
        choose_words(out, first, data, again, (place, place, source))


@compile_kernel(nogil=True, makes_arrays=False)
def _store_moved(handle, block_handle, block, moving):
    """Store the states of lanes that have moved; they lie in the step program."""
    state, program = open_blocks(block_handle).state[block], open_step_rules(handle).program
    data, width = program.data, program.width
    base = FIRST_INPUT * width
    for place in range(0, state.shape[0], width):
        choose_words(state, data, state, moving, (place, base + place, place))


@compile_kernel(nogil=True, makes_arrays=False)
def _store_ends(handle, block_handle, block, lanes, kept):
    """Do as `_store_moved` where lanes end: keep their states, and begin again.

    - lanes: those that have moved, those that end, those that begin again
    - kept: the rows of last states
    """
    state, program = open_blocks(block_handle).state[block], open_step_rules(handle).program
    initial = open_tables(block_handle).initial
    data, width = program.data, program.width
    moving, ending, again = lanes
    base = FIRST_INPUT * width
    for place in range(0, state.shape[0], width):
        choose_words(state, data, state, moving, (place, base + place, place))
        # No lane ends without having moved.
        choose_words(kept, data, kept, ending, (place, base + place, place))
        if initial[place]:
            join_words(state, state, again, (place, place, 0), width)
        else:
            drop_words(state, state, again, (place, place, 0), width)


@compile_kernel(nogil=True, makes_arrays=False)
def _begin_again(handle, block_handle, spot, gone, ending):
    """Begin the next episode of 64 lanes where one ends; return those that have none left.

    - spot: the block, and the word of these lanes
    - gone: those of them that have ended in this tick, and are in this block again
    """
    lanes, result = open_lanes(handle), open_result(handle)
    blocks = open_blocks(block_handle)
    block, w = spot
    first = 64 * (block * blocks.held.shape[1] + w)
    is_home = block < blocks.held.shape[0] and first + 64 <= lanes.steps.shape[0]
    # All lanes have as many episodes as they like, or none has.
    if is_home and lanes.left[first] < 0:
        spread_word(result.ended, first, gone, 64)
        spread_word(result.terminated, first, gone, 64)
        add_where(lanes.episode, first, ending)
        clear_where(lanes.steps, first, ending)
        return _ZERO
    closing = _ZERO
    left = ending
    while left:
        bit = left & (~left + _ONE)
        left ^= bit
        lane = lane_at(blocks, block, 64 * w + lowest_one(bit))
        result.ended[lane] = True
        result.terminated[lane] = True
        more = lanes.left[lane]
        if more == 0:
            lanes.is_open[lane] = False
            closing |= bit
        else:
            lanes.left[lane] = more - (more > 0)
            lanes.episode[lane] += 1
            lanes.steps[lane] = 0
    return closing


@compile_kernel(nogil=True, makes_arrays=False)
def score_lanes(handle, block, gone):
    """Write down the goals of lanes that ended in this tick."""
    rules, tables, result = open_score_rules(handle), open_goals(handle), open_result(handle)
    program = rules.program
    data, width = program.data, program.width
    kept = result.final_bits[block]
    every = data[ONE * width : (ONE + 1) * width]
    for k in range(rules.reads.shape[0]):
        fact = np.int64(rules.reads[k])
        place = (FIRST_INPUT + fact) * width
        choose_words(data, kept, kept, every, (place, fact * width, fact * width))
    run_program(program)
    # Goals of lanes that did not end mean nothing.
    first = 64 * width * block
    for player in range(result.goals.shape[0]):
        own = result.goals[player, first : first + 64 * width]
        for place in range(own.shape[0]):
            own[place] = -1
    for row in range(rules.goals.shape[0]):
        player = tables.player[row]
        if player >= 0:
            place = np.int64(rules.goals[row]) * width
            won = data[place : place + width]
            own = result.goals[player, first : first + 64 * width]
            _raise_goals(own, won, gone, np.int16(tables.value[row]))


@compile_kernel(nogil=True, makes_arrays=False)
def _raise_goals(own, won, gone, value):
    """Give a player a goal in some lanes of a block, if it has no higher one there.

    - own: the goals; won, gone: words of lanes, both of which must have the bit
    """
    for w in range(gone.shape[0]):
        left = won[w] & gone[w]
        if 64 * w + 64 <= own.shape[0]:
            raise_where(own, 64 * w, left, value)
            continue
        while left:
            lane = 64 * w + lowest_one(left)
            left &= left - _ONE
            own[lane] = max(own[lane], value)


@compile_kernel(nogil=True)
def unpack_final(bits, lanes, width, states):
    """Write the last states of lanes, which are kept as blocks, as rows, and clear the list.

    - bits, lanes: `final_bits` and `final_lanes` of a TickResult
    - width: words of a row of blocks
    - states: (L, W) uint64, `final_states` of the same
    """
    square = np.empty(64, np.uint64)
    facts = bits.shape[1] // width
    for block in range(bits.shape[0]):
        for w in range(width):
            chosen = lanes[block, w]
            lanes[block, w] = _ZERO
            if not chosen:
                continue
            first = 64 * (block * width + w)
            for word in range(states.shape[1]):
                size = min(64, facts - 64 * word)
                for bit in range(size):
                    square[bit] = bits[block, (64 * word + bit) * width + w]
                square[max(size, 0) :] = _ZERO
                transpose(square)
                left = chosen
                while left:
                    place = lowest_one(left)
                    left &= left - _ONE
                    states[first + place, word] = square[place]
