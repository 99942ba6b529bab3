"""A tick of lanes on blocks: see `blocks/records.py`.

Kernels take two handles, that of the match (`match_handle`) and that of the blocks.
"""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import choose_words, transpose
from gdl_env.engine.batch.kernels import advance_state
from gdl_env.engine.batch.layout import FIRST_INPUT, ONE
from gdl_env.engine.batch.wide_squares import ACROSS, add_row
from gdl_env.engine.batch.word_bits import count_ones, find_one, lowest_one
from gdl_env.engine.circuit.network.possible import KINDS, MANY
from gdl_env.engine.circuit.tape.program import run_program
from gdl_env.environment.blocks.actions import are_legal, note_actions
from gdl_env.environment.blocks.ends import end_lanes, score_lanes
from gdl_env.environment.blocks.records import MANY_LANES, WIDTH, open_blocks, open_tables
from gdl_env.environment.blocks.rows import pack_lanes, unpack_lanes
from gdl_env.environment.blocks.turns import show_turns, take_turns
from gdl_env.environment.blocks.views import first_actions
from gdl_env.environment.lanes.match_handle import (
    open_lanes,
    open_look_rules,
    open_result,
    open_scratch,
    open_seats,
    open_step_rules,
)
from gdl_env.environment.lanes.records import SeatNumber
from gdl_env.environment.lanes.serial_kernels import step_of
from gdl_env.environment.lanes.tick_kernel import (
    MOST_QUIET_STEPS,
    PLAYED,
    PROBLEM,
    play_listed,
)
from gdl_env.play.chance import below, place_of, word_at

_IS_SERIAL = SeatNumber.IS_SERIAL
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@compile_kernel(nogil=True)
def play_blocks(handle, block_handle, action, key, is_noted):
    """Play a tick by the actions of all decisions; return (how it went, steps, lanes that ended).

    - action: (decisions) int32, player by player, then by lane
    - key: uint64, the chance of the tick
    - is_noted: whether to write down who acts, and what is played

    Nothing is played if one of them is illegal.
    """
    if not are_legal(block_handle, action):
        return PROBLEM, 0, 0
    result, blocks = open_result(handle), open_blocks(block_handle)
    result.ended[:] = False
    result.terminated[:] = False
    result.final_lanes[:] = _ZERO
    next_action = first_actions(block_handle)
    if is_noted:
        note_actions(handle, block_handle, action)
    numbers = open_tables(block_handle).numbers
    acting = np.zeros(numbers[WIDTH], np.uint64)
    late = np.zeros(numbers[WIDTH], np.uint64)
    # Where few lanes of a block have a decision, they are taken out of it.
    alone = np.empty(blocks.state.shape[0] * numbers[MANY_LANES], np.int32)
    steps, ended, waiting, taken = 0, 0, 0, 0
    for block in range(blocks.state.shape[0]):
        count = _find_acting(block_handle, block, acting, late)
        if count >= numbers[MANY_LANES]:
            took, over = _play_block(
                handle, block_handle, block, action, next_action, (acting, late), key
            )
            steps += took
            ended += over
        elif count:
            _give_actions(handle, block_handle, block, acting, action, next_action)
            taken = _list_lanes(alone, taken, block, acting)
        waiting = _list_lanes(open_scratch(handle).work, waiting, block, late)
    if waiting + taken == 0:
        return PLAYED, steps, ended
    how, more, over = _play_rows(handle, block_handle, alone[:taken], waiting, key)
    return how, steps + more, ended + over


@compile_kernel(nogil=True)
def _play_rows(handle, block_handle, alone, waiting, key):
    """Play lanes as rows: those with a decision, and the first of the work list, which have none.

    Returns what `play_blocks` returns.
    """
    scratch = open_scratch(handle)
    work, taken = scratch.work, alone.shape[0]
    touched = work[:waiting].copy()
    unpack_lanes(handle, block_handle, alone)
    unpack_lanes(handle, block_handle, touched)
    work[:taken] = alone
    work[taken : taken + waiting] = touched
    told = play_listed(handle, scratch.given, taken, taken + waiting, key)
    pack_lanes(handle, block_handle, alone)
    pack_lanes(handle, block_handle, touched)
    return told


@compile_kernel(nogil=True)
def _find_acting(block_handle, block, acting, late):
    """Find the lanes of a block with a decision, and those without whose episode has yet to end.

    Returns how many of the former there are.
    """
    blocks, width = open_blocks(block_handle), acting.shape[0]
    players = blocks.decides.shape[1] // width
    count = 0
    for w in range(width):
        acting[w] = _ZERO
        for player in range(players):
            acting[w] |= blocks.decides[block, player * width + w]
        late[w] = blocks.is_open[block, w] & ~acting[w] & ~blocks.held[block, w]
        acting[w] &= ~blocks.held[block, w]
        count += count_ones(acting[w])
    return count


@compile_kernel(nogil=True)
def _list_lanes(listed, count, block, lanes):
    """Append some lanes of a block to a list of `count`; return how many are on it then."""
    for w in range(lanes.shape[0]):
        left = lanes[w]
        while left:
            listed[count] = 64 * (block * lanes.shape[0] + w) + lowest_one(left)
            count += 1
            left &= left - _ONE
    return count


@compile_kernel(nogil=True)
def _give_actions(handle, block_handle, block, acting, action, next_action):
    """Lay the actions of acting lanes of a block where rows look for them."""
    blocks, given = open_blocks(block_handle), open_scratch(handle).given
    width = acting.shape[0]
    for player in range(given.shape[0]):
        for w in range(width):
            left = blocks.decides[block, player * width + w] & acting[w]
            while left:
                lane = 64 * (block * width + w) + lowest_one(left)
                given[player, lane] = action[next_action[player]]
                next_action[player] += 1
                left &= left - _ONE


@compile_kernel(nogil=True)
def _play_block(handle, block_handle, block, action, next_action, lanes, key):
    """Play the decisions of a block, and on while many of its lanes play on by themselves.

    - lanes: those that act, and those whose episode is to be cut, to which lanes are added that
      still play on

    Returns the steps, and the lanes that ended.
    """
    tables = open_tables(block_handle)
    width = tables.numbers[WIDTH]
    acting, late = lanes
    quiet = np.zeros(width, np.uint64)
    gone = np.zeros(width, np.uint64)
    steps = 0
    is_told = True
    for passes in range(1, MOST_QUIET_STEPS):
        _set_moves(handle, block_handle, block, action, next_action, acting, is_told, key)
        for w in range(width):
            steps += count_ones(acting[w])
        moving = _step_block(handle, block_handle, block, acting, quiet)
        end_lanes(handle, block_handle, block, (acting, moving), gone)
        take_turns(handle, block_handle, block, acting, quiet, late, key)
        found = 0
        for w in range(width):
            found += count_ones(quiet[w])
        # Once further passes have cost as much as the other way, the other way is taken.
        if found < tables.numbers[MANY_LANES] * passes:
            break
        acting[:] = quiet
        is_told = False
    ended = 0
    for w in range(width):
        ended += count_ones(gone[w])
        late[w] |= quiet[w]
    if ended:
        score_lanes(handle, block, gone)
    show_turns(handle, block_handle, block)
    return steps, ended


@compile_kernel(nogil=True)
def _set_moves(handle, block_handle, block, action, next_action, acting, is_told, key):
    """Write the state and what is done in acting lanes into the inputs of a step."""
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    rules = open_step_rules(handle)
    data, width = rules.program.data, rules.program.width
    base = FIRST_INPUT * width
    data[base : base + rules.facts * width] = blocks.state[block]
    first = (FIRST_INPUT + rules.facts) * width
    data[first : first + rules.moves * width] = _ZERO
    players = tables.row.shape[0]
    has_chosen = blocks.chosen.shape[1] > 0
    forced = np.empty(width, np.uint64)
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
                    given = tables.done[seat], told, next_action[seat]
                    _set_given(given, action, data, first + w, width)
                next_action[seat] += count_ones(told)
            elif seat == players:
                many = blocks.possible[block, (KINDS * seat + MANY) * width + w] & forced[w]
                forced[w] &= ~many
                if many:
                    _draw_moves(handle, block_handle, block, w, many, key)
            some |= forced[w]
        if some:
            _set_forced(tables, seat, blocks.legal[block], forced, data, first)


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
def _set_forced(tables, seat, legal, forced, data, first):
    """Write what a seat does in the lanes where it has no choice: mostly `noop`."""
    width = forced.shape[0]
    row = np.int64(tables.noop[seat])
    left = forced
    if row >= 0:
        left = np.empty(width, np.uint64)
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
        lane = 64 * (block * width + w) + place
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


@compile_kernel(nogil=True)
def _step_block(handle, block_handle, block, acting, passing):
    """Step the acting lanes of a block, ask what is possible then, and return those that moved.

    The new state comes to lie in the inputs of the step program; see `end_lanes`. Lanes of a
    serial game in which all who act pass stay as they are.
    """
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    lanes = open_lanes(handle)
    rules, look = open_step_rules(handle), open_look_rules(handle)
    data, width = rules.program.data, rules.program.width
    is_serial = open_seats(handle).numbers[_IS_SERIAL] == 1
    players = tables.row.shape[0]
    passing[:] = _ZERO
    if is_serial:
        first = (FIRST_INPUT + rules.facts) * width
        for w in range(width):
            busy = _ZERO
            for seat in range(players + 1):
                mine = blocks.acts[block, seat * width + w] & acting[w]
                if tables.noop[seat] >= 0:
                    done = np.int64(tables.does[tables.noop[seat]]) * width
                    mine &= ~data[first + done + w]
                busy |= mine
            passing[w] = acting[w] & ~busy
            moved = _ZERO
            for player in range(players):
                moved |= blocks.acts[block, player * width + w] & acting[w]
            for player in range(players):
                mine = blocks.acts[block, player * width + w] & moved
                kept = blocks.last[block, player * width + w] & ~moved
                blocks.last[block, player * width + w] = kept | mine
    run_program(rules.program)
    # What the look program computed is stored by now.
    advance_state(rules, look.program.data[FIRST_INPUT * width :])
    target, state = look.program.data, blocks.state[block]
    moving = acting & ~passing
    for k in range(look.reads.shape[0]):
        fact = np.int64(look.reads[k])
        place = (FIRST_INPUT + fact) * width
        choose_words(target, data, state, moving, (place, place, fact * width))
    for w in range(width):
        first = 64 * (block * width + w)
        own = lanes.steps[first : first + 64]
        for place in range(own.shape[0]):
            own[place] += (acting[w] >> np.uint64(place)) & _ONE
    run_program(look.program)
    return moving
