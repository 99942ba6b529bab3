"""A tick of lanes on blocks: see `blocks/records.py`.

Kernels take two handles, that of the match (`match_handle`) and that of the blocks.
"""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import add_where
from gdl_env.engine.batch.kernels import advance_state
from gdl_env.engine.batch.layout import FIRST_INPUT
from gdl_env.engine.batch.word_bits import count_ones, lowest_one
from gdl_env.engine.circuit.tape.program import run_program
from gdl_env.environment.blocks.actions import are_legal, first_actions, note_actions
from gdl_env.environment.blocks.ends import end_lanes, score_lanes, store_states
from gdl_env.environment.blocks.moves import set_moves
from gdl_env.environment.blocks.packing import lay_back, pack_quiet
from gdl_env.environment.blocks.records import (
    MANY_LANES,
    PACK_TIME,
    PASS_TIME,
    WIDTH,
    lane_at,
    open_blocks,
    open_tables,
    open_tick,
    open_turns,
)
from gdl_env.environment.blocks.rows import pack_lanes, unpack_lanes
from gdl_env.environment.blocks.turns import show_turns, take_turns
from gdl_env.environment.lanes.match_handle import (
    open_lanes,
    open_look_rules,
    open_result,
    open_scratch,
    open_seats,
    open_step_rules,
)
from gdl_env.environment.lanes.records import SeatNumber
from gdl_env.environment.lanes.tick_kernel import (
    MOST_QUIET_STEPS,
    PLAYED,
    PROBLEM,
    play_listed,
)
from gdl_env.word_rows import choose_words, copy_items, drop_words, join_words, meet_words

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
    given = action, first_actions(block_handle)
    if is_noted:
        note_actions(handle, block_handle, action)
    numbers, home = open_tables(block_handle).numbers, blocks.held.shape[0]
    masks = open_tick(block_handle)
    masks.quiet[:] = _ZERO
    masks.gone[:] = _ZERO
    # Where few lanes of a block have a decision, they are taken out of it.
    alone = np.empty(home * numbers[MANY_LANES], np.int32)
    steps, taken, quiet = 0, 0, 0
    for block in range(home):
        count = _find_acting(block_handle, block, masks.acting[block], masks.late[block])
        if count >= numbers[MANY_LANES]:
            steps += count
            _play_block(handle, block_handle, block, given, (True, False, False), key)
            quiet += _count_quiet(block_handle, block, block + 1)[0]
        elif count:
            _give_actions(handle, block_handle, block, masks.acting[block], given)
            taken = _list_lanes(alone, taken, block, masks.acting[block])
    if quiet:
        steps += _play_on(handle, block_handle, key)
    ended, waiting = _finish_blocks(handle, block_handle)
    if waiting + taken == 0:
        return PLAYED, steps, ended
    how, more, over = _play_rows(handle, block_handle, alone[:taken], waiting, key)
    return how, steps + more, ended + over


@compile_kernel(nogil=True, makes_arrays=False)
def _finish_blocks(handle, block_handle):
    """Score lanes that ended, tell who acts, and list those that are left to rows.

    Returns how many ended, and how many are listed.
    """
    ended, waiting, home = 0, 0, open_blocks(block_handle).held.shape[0]
    work, masks = open_scratch(handle).work, open_tick(block_handle)
    for block in range(home):
        gone = 0
        for w in range(masks.gone.shape[1]):
            gone += count_ones(masks.gone[block, w])
        if gone:
            score_lanes(handle, block, masks.gone[block])
        ended += gone
        show_turns(handle, block_handle, block)
        waiting = _list_lanes(work, waiting, block, masks.late[block])
    return ended, waiting


@compile_kernel(nogil=True)
def _play_on(handle, block_handle, key):
    """Play lanes on that are quiet, until each has a decision, or is late; return the steps.

    Lanes are packed where that pays: see `_is_packing_cheaper`.
    """
    blocks, masks = open_blocks(block_handle), open_tick(block_handle)
    numbers, home = open_tables(block_handle).numbers, blocks.held.shape[0]
    given = np.empty(0, np.int32), np.empty(0, np.int64)
    # The blocks of each level begin where those of the one above end.
    start, depth = np.zeros(66, np.int64), 0
    start[1] = home
    steps, passes, spent = 0, 0, 0
    # Whether the states of the only block that plays on lie in the step program alone.
    is_there = False
    while True:
        low, high = start[depth], start[depth + 1]
        quiet, touched = _count_quiet(block_handle, low, high)
        if passes == MOST_QUIET_STEPS:
            # Rows say that this does not end.
            masks.late[low:high] |= masks.quiet[low:high]
            masks.quiet[low:high] = _ZERO
            quiet = 0
        if quiet == 0:
            if depth == 0:
                blocks.passes[0, 0] += passes - (blocks.passes[0, 0] >> 4)
                return steps
            depth -= 1
            lay_back(handle, block_handle, start[depth], low, high)
            continue
        left = (blocks.passes[0, 0] >> 4) - passes
        if _is_packing_cheaper(numbers, quiet, touched, spent, left):
            depth += 1
            start[depth + 1] = pack_quiet(block_handle, low, high, quiet)
            spent = 0
            continue
        spent += touched * numbers[PASS_TIME]
        may_stay = touched == 1 and passes + 1 < MOST_QUIET_STEPS
        for block in range(low, high):
            if _take_quiet(block_handle, block):
                how = False, is_there, may_stay
                is_there = _play_block(handle, block_handle, block, given, how, key)
        steps += quiet
        passes += 1


@compile_kernel(nogil=True, makes_arrays=False)
def _is_packing_cheaper(numbers, quiet, touched, spent, left):
    """Tell whether to pack quiet lanes before they move again.

    - quiet, touched: how many lanes these are, and how many blocks they lie in
    - spent: what passes over these blocks have taken
    - left: how many passes there are to come, by recent ticks

    That is so if these passes would save as much, or if those so far would have.
    """
    needed = -(-quiet // (64 * numbers[WIDTH]))
    if 2 * needed > touched:
        return False
    saved = (touched - needed) * numbers[PASS_TIME] * max(left, 1)
    return max(saved, spent) >= touched * numbers[PACK_TIME]


@compile_kernel(nogil=True, makes_arrays=False)
def _count_quiet(block_handle, low, high):
    """Return how many lanes of some blocks are quiet, and how many blocks have such lanes."""
    lanes, touched, masks = 0, 0, open_tick(block_handle)
    for block in range(low, high):
        count = 0
        for w in range(masks.quiet.shape[1]):
            count += count_ones(masks.quiet[block, w])
        lanes += count
        touched += count > 0
    return lanes, touched


@compile_kernel(nogil=True, makes_arrays=False)
def _take_quiet(block_handle, block):
    """Let the quiet lanes of a block act; tell whether there are any."""
    some, masks = _ZERO, open_tick(block_handle)
    for w in range(masks.quiet.shape[1]):
        masks.acting[block, w] = masks.quiet[block, w]
        some |= masks.quiet[block, w]
    return some != _ZERO


@compile_kernel(nogil=True, makes_arrays=False)
def _play_block(handle, block_handle, block, given, how, key):
    """Let the acting lanes of a block move, and find who acts next.

    - given: see `set_moves`
    - how: whether lanes have decisions; whether their states lie in the step program already; and
      whether they may stay there, as in a deal, if all lanes that act play on

    Returns whether they do.
    """
    is_told, is_there, may_stay = how
    rules = open_step_rules(handle)
    data, width = rules.program.data, rules.program.width
    if not is_there:
        base = FIRST_INPUT * width
        copy_items(open_blocks(block_handle).state[block], data[base:])
    set_moves(handle, block_handle, block, given, is_told, key)
    _step_block(handle, block_handle, block)
    has_ends = end_lanes(handle, block_handle, block)
    take_turns(handle, block_handle, block, key)
    changed, masks = _ZERO, open_tick(block_handle)
    for w in range(width):
        acting = masks.acting[block, w]
        changed |= (acting ^ masks.quiet[block, w]) | (acting ^ masks.room[0, w])
    if may_stay and not has_ends and changed == _ZERO:
        return True
    store_states(handle, block_handle, block, has_ends)
    return False


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


@compile_kernel(nogil=True, makes_arrays=False)
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


@compile_kernel(nogil=True, makes_arrays=False)
def _list_lanes(listed, count, block, lanes):
    """Append some lanes of a block to a list of `count`; return how many are on it then."""
    for w in range(lanes.shape[0]):
        left = lanes[w]
        while left:
            listed[count] = 64 * (block * lanes.shape[0] + w) + lowest_one(left)
            count += 1
            left &= left - _ONE
    return count


@compile_kernel(nogil=True, makes_arrays=False)
def _give_actions(handle, block_handle, block, acting, told):
    """Lay the actions of acting lanes of a block where rows look for them."""
    blocks, given = open_blocks(block_handle), open_scratch(handle).given
    action, next_action = told
    width = acting.shape[0]
    for player in range(given.shape[0]):
        for w in range(width):
            left = blocks.decides[block, player * width + w] & acting[w]
            while left:
                lane = 64 * (block * width + w) + lowest_one(left)
                given[player, lane] = action[next_action[player]]
                next_action[player] += 1
                left &= left - _ONE


@compile_kernel(nogil=True, makes_arrays=False)
def _step_block(handle, block_handle, block):
    """Step the acting lanes of a block, and ask what is possible then.

    The new state comes to lie in the inputs of the step program; see `store_states`. Lanes of a
    serial game in which all who act pass stay as they are: the first row of `room` of TickMasks
    gets those that move.
    """
    blocks, masks = open_blocks(block_handle), open_tick(block_handle)
    rules, look = open_step_rules(handle), open_look_rules(handle)
    data, width = rules.program.data, rules.program.width
    acting, moving = masks.acting[block], masks.room[0]
    copy_items(acting, moving)
    if open_seats(handle).numbers[_IS_SERIAL] == 1:
        _find_moving(handle, block_handle, block)
    run_program(rules.program)
    # What the look program computed is stored by now.
    advance_state(rules, look.program.data[FIRST_INPUT * width :])
    target, state = look.program.data, blocks.state[block]
    for k in range(look.reads.shape[0]):
        fact = np.int64(look.reads[k])
        place = (FIRST_INPUT + fact) * width
        choose_words(target, data, state, moving, (place, place, fact * width))
    _count_steps(handle, block_handle, block, acting)
    run_program(look.program)


@compile_kernel(nogil=True, makes_arrays=False)
def _find_moving(handle, block_handle, block):
    """Find the lanes of a serial game in which someone does more than pass; note who moves."""
    blocks, tables = open_blocks(block_handle), open_tables(block_handle)
    rules = open_step_rules(handle)
    data, width = rules.program.data, rules.program.width
    masks, room = open_tick(block_handle), open_turns(block_handle).room
    acting, moving = masks.acting[block], masks.room[0]
    acts, last = blocks.acts[block], blocks.last[block]
    players = tables.row.shape[0]
    first = (FIRST_INPUT + rules.facts) * width
    moving[:] = _ZERO
    for seat in range(players + 1):
        own = seat * width
        meet_words(room, acts, acting, (0, own, 0), width)
        if tables.noop[seat] >= 0:
            done = first + np.int64(tables.does[tables.noop[seat]]) * width
            drop_words(room, room, data, (0, 0, done), width)
        join_words(moving, moving, room, (0, 0, 0), width)
    room[:] = _ZERO
    for player in range(players):
        join_words(room, room, acts, (0, 0, player * width), width)
    meet_words(room, room, acting, (0, 0, 0), width)
    for player in range(players):
        own = player * width
        choose_words(last, acts, last, room, (own, own, own))


@compile_kernel(nogil=True, makes_arrays=False)
def _count_steps(handle, block_handle, block, acting):
    """Count a step of the acting lanes of a block."""
    blocks = open_blocks(block_handle)
    steps, width = open_lanes(handle).steps, acting.shape[0]
    for w in range(width):
        if acting[w] == _ZERO:
            continue
        first = 64 * (block * width + w)
        if block < blocks.held.shape[0] and first + 64 <= steps.shape[0]:
            add_where(steps, first, acting[w])
            continue
        left = acting[w]
        while left:
            steps[lane_at(blocks, block, 64 * w + lowest_one(left))] += 1
            left &= left - _ONE
