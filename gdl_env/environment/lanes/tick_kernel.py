"""A whole tick of lanes on the circuit engine in one compiled call.

A tick plays the given decisions, then plays on until every lane has a decision again: moves that
are forced, `random`, ends and new episodes. Lanes that play on are packed together for each
further step, so that a few of them cost little.
"""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import load_rows, store_rows
from gdl_env.engine.batch.kernels import advance_state, clear_moves, pass_facts, set_move
from gdl_env.engine.batch.layout import FIRST_INPUT
from gdl_env.engine.circuit.tape.program import run_program
from gdl_env.environment.lanes.match_handle import (
    open_draws,
    open_goals,
    open_lanes,
    open_look_rules,
    open_result,
    open_score_rules,
    open_scratch,
    open_seats,
    open_step_rules,
)
from gdl_env.environment.lanes.records import DRAWN, SeatNumber
from gdl_env.environment.lanes.serial_kernels import step_of
from gdl_env.environment.lanes.turn_kernels import (
    assign_turns,
    choose_moves,
    end_episodes,
    find_ends,
    find_problem,
    list_work,
    spread_actions,
)
from gdl_env.play.chance import EXPERIMENT_SEAT, below, place_of, word_at
from gdl_env.word_rows import copy_items

# How a tick went: as it should; an answer is missing or illegal, and nothing was played; no role
# had a decision for too long. From EXHAUSTED on: an experiment without events was to be drawn, or
# a value is outside its range, with the number of the experiment or mark added; see
# `Lanes.failures`.
PLAYED, PROBLEM, ENDLESS, EXHAUSTED = 0, 1, 2, 3
# More steps in a row without a decision than any game deals cards.
MOST_QUIET_STEPS = 10_000

_DRAWS, _MARKS = SeatNumber.DRAWS, SeatNumber.MARKS


@compile_kernel(nogil=True, makes_arrays=False)
def play_tick(handle, given, key, is_strict):
    """Play a tick of the match that a handle names; return (how it went, steps, lanes that ended).

    - given: (P, L) int32 actions; negative ones are drawn
    - key: uint64, the chance of the tick
    - is_strict: whether to play nothing if a decision has no legal answer
    """
    if is_strict and find_problem(handle, given):
        return PROBLEM, 0, 0
    return _play(handle, given, key)


@compile_kernel(nogil=True, makes_arrays=False)
def play_decisions(handle, action, key):
    """Play a tick as `play_tick` does, by the actions of all decisions: see `spread_actions`.

    Nothing is played if one of them is illegal.
    """
    if not spread_actions(handle, action):
        return PROBLEM, 0, 0
    return _play(handle, open_scratch(handle).given, key)


@compile_kernel(nogil=True, makes_arrays=False)
def _play(handle, given, key):
    deciding, count = list_work(handle)
    return play_listed(handle, given, deciding, count, key)


@compile_kernel(nogil=True, makes_arrays=False)
def play_listed(handle, given, deciding, count, key):
    """Play the lanes of the work list, of which the first have a decision; see `play_tick`."""
    moving = choose_moves(handle, given, deciding, True, key)
    _forget_percepts(handle, deciding)
    problem = _step(handle, moving, key)
    if problem:
        return problem, 0, 0
    return settle(handle, deciding, count, key)


@compile_kernel(nogil=True, makes_arrays=False)
def begin_match(handle, key):
    """Play from new episodes to the first decisions; return what `play_tick` returns."""
    _, count = list_work(handle)
    return settle(handle, 0, count, key)


@compile_kernel(nogil=True)
def settle(handle, steps, count, key):
    """Play on until every lane of the work list has a decision, or waits for the next tick."""
    ended = 0
    given = open_scratch(handle).given
    kept = np.empty(64 * open_step_rules(handle).program.width, np.int32)
    # How many lanes have their states in the step program and not yet in their rows: as long as
    # the same ones play on, as in a deal, these need not be turned over.
    held = 0
    for _ in range(MOST_QUIET_STEPS):
        problem = _find_mark(handle, count)
        if problem:
            return problem, steps, ended
        terminal, ending = find_ends(handle, count)
        if ending:
            held = _store_states(handle, kept[:held])
            _score(handle, terminal, ending)
            end_episodes(handle, terminal, ending)
            ended += ending
        count = assign_turns(handle, count, key)
        if count == 0:
            _store_states(handle, kept[:held])
            return PLAYED, steps, ended
        moving = choose_moves(handle, given, count, False, key)
        problem, held = _step_on(handle, moving, kept, held, key)
        if problem:
            return problem, steps, ended
        steps += count
    _store_states(handle, kept[:held])
    return ENDLESS, steps, ended


@compile_kernel(nogil=True, makes_arrays=False)
def _step_on(handle, moving, kept, held, key):
    """Step as `_step` does; states stay in the step program where that is possible.

    - kept: the lanes whose states are there, of which there are `held`

    Returns 0, or EXHAUSTED and up; and how many states are there now.
    """
    numbers, stepping = open_seats(handle).numbers, open_scratch(handle).stepping
    if numbers[_DRAWS] or not 0 < moving <= kept.shape[0]:
        # Draws look at the states.
        _store_states(handle, kept[:held])
        return _step(handle, moving, key), 0
    chosen = stepping[:moving]
    is_same = held == moving
    for k in range(moving if is_same else 0):
        is_same &= kept[k] == chosen[k]
    if not is_same:
        _store_states(handle, kept[:held])
        copy_items(chosen, kept)
    _step_block(handle, chosen, is_same)
    held = moving
    if _has_mark(handle):
        held = _store_states(handle, chosen)
    _look_block(handle, chosen)
    return 0, held


@compile_kernel(nogil=True, makes_arrays=False)
def _has_mark(handle):
    """Tell whether a state that lies in the step program may have a value outside its range."""
    rules = open_step_rules(handle)
    program = rules.program
    first = FIRST_INPUT + rules.facts - open_seats(handle).numbers[_MARKS]
    found = np.uint64(0)
    for place in range(first * program.width, (FIRST_INPUT + rules.facts) * program.width):
        found |= program.data[place]
    return found != np.uint64(0)


@compile_kernel(nogil=True, makes_arrays=False)
def _find_mark(handle, count):
    """Return 0, or EXHAUSTED and up if a lane of the work list has a value outside its range.

    States that have no row yet have none: see `_step_on`. Nothing is possible in a lane that has
    one, so that blocks leave it to this list, too.
    """
    marks = open_seats(handle).numbers[_MARKS]
    if marks == 0:
        return 0
    first = open_step_rules(handle).facts - marks
    experiments = open_draws(handle).events.shape[0] - 1
    states, work = open_lanes(handle).states, open_scratch(handle).work
    for k in range(count):
        for mark in range(marks):
            word = states[work[k], (first + mark) >> 6]
            if (word >> np.uint64((first + mark) & 63)) & np.uint64(1):
                return EXHAUSTED + experiments + mark
    return 0


@compile_kernel(nogil=True, makes_arrays=False)
def _forget_percepts(handle, count):
    """Drop what those who act have perceived before."""
    seats, lanes, scratch = open_seats(handle), open_lanes(handle), open_scratch(handle)
    if lanes.seen.shape[1] == 0:
        return
    for k in range(count):
        lane = scratch.work[k]
        for player in range(seats.own_percepts.shape[0]):
            if scratch.chosen[player, lane] >= 0:
                for word in range(lanes.seen.shape[1]):
                    lanes.seen[lane, word] &= ~seats.own_percepts[player, word]


# ---- the engine


@compile_kernel(nogil=True, makes_arrays=False)
def _step(handle, moving, key):
    """Play the chosen moves in the lanes to step; return 0, or EXHAUSTED and up."""
    if open_seats(handle).numbers[_DRAWS]:
        problem = _find_draws(handle, moving, key)
        if problem:
            return problem
    stepping = open_scratch(handle).stepping
    size = 64 * open_step_rules(handle).program.width
    for first in range(0, moving, size):
        chosen = stepping[first : min(first + size, moving)]
        _step_block(handle, chosen, False)
        _store_states(handle, chosen)
        _look_block(handle, chosen)
    return 0


@compile_kernel(nogil=True)
def _step_block(handle, chosen, is_there):
    """Step some lanes: their next state comes to lie in the step program, and where it is read.

    - is_there: whether their state lies in the step program already
    """
    rules, look = open_step_rules(handle), open_look_rules(handle)
    lanes, scratch = open_lanes(handle), open_scratch(handle)
    start, plain = open_seats(handle).start, open_draws(handle).plain
    program = rules.program
    width = program.width
    if not is_there:
        load_rows(lanes.states, chosen, rules.facts, program.data, width)
    clear_moves(rules)
    for place in range(chosen.shape[0]):
        lane = chosen[place]
        for seat in range(scratch.chosen.shape[0]):
            bit = scratch.chosen[seat, lane]
            if bit >= 0:
                row = plain[64 * start[seat] + bit]
                if row <= DRAWN:
                    row = scratch.does[seat, lane]
                if row >= 0:
                    set_move(rules, row, place)
    run_program(program)
    # What the look program computed is stored by now.
    advance_state(rules, look.program.data[FIRST_INPUT * width :])
    pass_facts(program.data, look.program.data, look.reads, width)
    if rules.percepts.shape[0]:
        told = np.zeros((chosen.shape[0], lanes.seen.shape[1]), np.uint64)
        store_rows(program.data, width, rules.percepts, np.arange(chosen.shape[0]), told)
        for place in range(chosen.shape[0]):
            for word in range(told.shape[1]):
                lanes.seen[chosen[place], word] |= told[place, word]


@compile_kernel(nogil=True, makes_arrays=False)
def _store_states(handle, chosen):
    """Store the states that lie in the step program; return how many there are left: none."""
    program, lanes = open_step_rules(handle).program, open_lanes(handle)
    if chosen.shape[0]:
        inputs = open_look_rules(handle).inputs
        store_rows(program.data, program.width, inputs, chosen, lanes.states)
    return 0


@compile_kernel(nogil=True, makes_arrays=False)
def _look_block(handle, chosen):
    """Find and store what is possible in the states that lie in the look program."""
    rules, lanes = open_look_rules(handle), open_lanes(handle)
    program = rules.program
    run_program(program)
    store_rows(program.data, program.width, rules.legal, chosen, lanes.legal)
    store_rows(program.data, program.width, rules.possible, chosen, lanes.possible)


@compile_kernel(nogil=True, makes_arrays=False)
def _score(handle, terminal, count):
    """Fill in the goals of lanes that end: the largest that the rules give, -1 for none."""
    rules, tables, result = open_score_rules(handle), open_goals(handle), open_result(handle)
    ending, states = open_scratch(handle).ending, open_lanes(handle).states
    program = rules.program
    facts = open_step_rules(handle).facts
    size = 64 * program.width
    for k in range(count):
        for player in range(result.goals.shape[0]):
            result.goals[player, ending[k]] = -1
    for first in range(0, terminal, size):
        chosen = ending[first : min(first + size, terminal)]
        load_rows(states, chosen, facts, program.data, program.width)
        run_program(program)
        for row in range(rules.goals.shape[0]):
            player = tables.player[row]
            if player < 0:
                continue
            base = np.int64(rules.goals[row]) * program.width
            for place in range(chosen.shape[0]):
                word = program.data[base + (place >> 6)]
                if (word >> np.uint64(place & 63)) & np.uint64(1):
                    known = result.goals[player, chosen[place]]
                    result.goals[player, chosen[place]] = max(known, tables.value[row])


# ---- experiments


@compile_kernel(nogil=True, makes_arrays=False)
def _find_draws(handle, count, key):
    """Draw the moves that name experiments in the lanes to step; return 0, or EXHAUSTED and up."""
    scratch, start = open_scratch(handle), open_seats(handle).start
    plain = open_draws(handle).plain
    drawn = 0
    for k in range(count):
        lane = scratch.stepping[k]
        has_draw = False
        for seat in range(scratch.chosen.shape[0]):
            bit = scratch.chosen[seat, lane]
            scratch.does[seat, lane] = plain[64 * start[seat] + bit] if bit >= 0 else -1
            has_draw = has_draw or scratch.does[seat, lane] <= DRAWN
        if has_draw:
            scratch.ending[drawn] = lane
            drawn += 1
    return _draw_all(handle, drawn, key)


@compile_kernel(nogil=True, makes_arrays=False)
def _draw_all(handle, count, key):
    """Draw the experiments of the moves in listed lanes; return 0, or EXHAUSTED and up."""
    scratch, lanes, result = open_scratch(handle), open_lanes(handle), open_result(handle)
    draws, program = open_draws(handle), open_score_rules(handle).program
    facts = open_step_rules(handle).facts
    size = 64 * program.width
    for first in range(0, count, size):
        chosen = scratch.ending[first : min(first + size, count)]
        load_rows(lanes.states, chosen, facts, program.data, program.width)
        run_program(program)
        for place in range(chosen.shape[0]):
            lane = chosen[place]
            # The step has been counted already.
            step = step_of(lanes.steps, result.ended, lane) - 2
            for seat in range(scratch.does.shape[0]):
                move = scratch.does[seat, lane]
                if move > DRAWN:
                    continue
                number = DRAWN - move
                source = place_of(step, EXPERIMENT_SEAT + 16 * seat, lane)
                index = _draw(draws, program, number, place, source, key)
                if index < 0:
                    return EXHAUSTED - 1 - index
                scratch.does[seat, lane] = draws.does[draws.first[number] + index]
    return 0


@compile_kernel(nogil=True, makes_arrays=False)
def _draw(draws, program, move, place, source, key):
    """Draw the experiments of a move at a place; return which of its outcomes comes.

    Negative if an experiment has no event: -1 less its number. `source` is the place of the first
    draw; each experiment of the move has one of its own.
    """
    index = np.int64(0)
    for entry in range(draws.start[move], draws.start[move + 1]):
        experiment = draws.experiment[entry]
        low, high = draws.events[experiment], draws.events[experiment + 1]
        total = np.uint64(0)
        for event in range(low, high):
            total += _weigh(draws, program, event, place)
        if total == np.uint64(0):
            return np.int64(-1 - experiment)
        own = source + (np.uint64(entry - draws.start[move]) << np.uint64(32))
        left = below(word_at(key, own), total)
        event = low
        while left >= _weigh(draws, program, event, place):
            left -= _weigh(draws, program, event, place)
            event += 1
        index = index * (high - low) + (event - low)
    return index


@compile_kernel(nogil=True, makes_arrays=False)
def _weigh(draws, program, event, place):
    """Return the weight of an event at a place; 0 where it cannot happen."""
    row = np.int64(draws.event_row[event]) * program.width + (place >> 6)
    if (program.data[row] >> np.uint64(place & 63)) & np.uint64(1):
        return np.uint64(draws.weight[event])
    return np.uint64(0)
