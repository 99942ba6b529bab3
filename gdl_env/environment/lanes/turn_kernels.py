"""Compiled loops of a tick that need no engine: who acts, what is chosen, which lanes end.

They take the handle of a match (see `match_handle`) and work on the list of lanes in its scratch.
"""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import nth_one
from gdl_env.engine.batch.word_bits import count_ones
from gdl_env.engine.circuit.network.possible import HAS, KINDS, MANY
from gdl_env.environment.lanes.match_handle import (
    open_lanes,
    open_result,
    open_scratch,
    open_seats,
)
from gdl_env.environment.lanes.records import SeatNumber
from gdl_env.environment.lanes.serial_kernels import (
    is_over,
    is_possible,
    is_stuck,
    step_of,
    take_serial_turns,
)
from gdl_env.play.chance import below, place_of, word_at
from gdl_env.play.turn_order import TurnRule

_IS_SERIAL, _RULE, _MAX_STEPS = SeatNumber.IS_SERIAL, SeatNumber.TURN_RULE, SeatNumber.MAX_STEPS
_FIRST, _RANDOM = int(TurnRule.FIRST), int(TurnRule.RANDOM)
_ONE = np.uint64(1)
# The goals of lanes that came to a dead end, as they are negative where there are none.
DEAD_END = -2


# ---- one lane


@compile_kernel(nogil=True, makes_arrays=False)
def has_move(start, legal, seat, lane, bit):
    """Tell whether a move of a seat is legal in a lane; a bit out of range is not."""
    if bit < 0 or bit >= 64 * (start[seat + 1] - start[seat]):
        return False
    word = legal[lane, start[seat] + (bit >> 6)]
    return (word >> np.uint64(bit & 63)) & _ONE != np.uint64(0)


@compile_kernel(nogil=True, makes_arrays=False)
def _draw_move(start, legal, seat, lane, word):
    """Return the bit of a random legal move."""
    low, high = start[seat], start[seat + 1]
    count = 0
    for index in range(low, high):
        count += count_ones(legal[lane, index])
    return np.int32(nth_one(legal, lane, low, high, below(word, count)))


@compile_kernel(nogil=True, makes_arrays=False)
def _begin_lane(seats, lanes, lane):
    for word in range(lanes.states.shape[1]):
        lanes.states[lane, word] = seats.initial[word]
    for word in range(lanes.seen.shape[1]):
        lanes.seen[lane, word] = np.uint64(0)
    for word in range(lanes.legal.shape[1]):
        lanes.legal[lane, word] = seats.first_legal[word]
    for word in range(lanes.possible.shape[1]):
        lanes.possible[lane, word] = seats.first_possible[word]
    lanes.steps[lane] = 0
    lanes.last[lane] = -1


# ---- lists of lanes


@compile_kernel(nogil=True, makes_arrays=False)
def begin_lanes(handle):
    """Put all lanes at the start of an episode."""
    seats, lanes = open_seats(handle), open_lanes(handle)
    for lane in range(lanes.states.shape[0]):
        _begin_lane(seats, lanes, lane)


@compile_kernel(nogil=True, makes_arrays=False)
def find_problem(handle, given):
    """Tell whether a decision has no legal answer: given is (P, L) int32."""
    start, lanes = open_seats(handle).start, open_lanes(handle)
    for player in range(given.shape[0]):
        for lane in range(given.shape[1]):
            if lanes.decides[player, lane] and not has_move(
                start, lanes.legal, player, lane, given[player, lane]
            ):
                return True
    return False


@compile_kernel(nogil=True, makes_arrays=False)
def spread_actions(handle, action):
    """Lay the actions of all decisions, player by player, where the lanes are.

    - action: (decisions) int32, in the order of `collect_decisions`; held lanes have none

    Tells whether all of them are legal.
    """
    start, lanes, given = open_seats(handle).start, open_lanes(handle), open_scratch(handle).given
    players, count = lanes.decides.shape
    decides, legal = lanes.decides, lanes.legal
    place = 0
    is_legal = True
    for player in range(players):
        for lane in range(count):
            if decides[player, lane] and not lanes.held[lane]:
                given[player, lane] = action[place]
                is_legal &= has_move(start, legal, player, lane, action[place])
                place += 1
    return is_legal


@compile_kernel(nogil=True, makes_arrays=False)
def list_work(handle):
    """List the lanes of a tick: those with a decision first; return how many, and all.

    Lanes without a decision are listed too, if they are open: their episode has yet to end, or to
    begin. Clears who acted, and what ended.
    """
    lanes, scratch, result = open_lanes(handle), open_scratch(handle), open_result(handle)
    players, count = lanes.decides.shape
    result.acting[:] = False
    result.action[:] = -1
    result.ended[:] = False
    result.terminated[:] = False
    result.final_lanes[:] = np.uint64(0)
    deciding = 0
    waiting = 0
    for lane in range(count):
        if lanes.held[lane] or not lanes.is_open[lane]:
            continue
        asks = False
        for player in range(players):
            asks |= lanes.decides[player, lane]
        if asks and not lanes.punished[lane]:
            scratch.work[deciding] = lane
            deciding += 1
        else:
            scratch.ending[waiting] = lane
            waiting += 1
    for k in range(waiting):
        scratch.work[deciding + k] = scratch.ending[k]
    return deciding, deciding + waiting


@compile_kernel(nogil=True, makes_arrays=False)
def choose_moves(handle, given, count, is_told, key):
    """Choose the moves of all who act in the first `count` lanes of the work list.

    - given: (P, L) int32 actions of the first step, negative where one is to be drawn
    - is_told: whether this is the first step of the tick, which is written down
    - key: uint64, the chance of the tick

    Counts the steps, and lists the lanes in which not all who act pass; returns how many.
    """
    seats, lanes, scratch = open_seats(handle), open_lanes(handle), open_scratch(handle)
    result = open_result(handle)
    players = lanes.decides.shape[0]
    is_serial = seats.numbers[_IS_SERIAL] == 1
    moving = 0
    for k in range(count):
        lane = scratch.work[k]
        passes = is_serial
        for seat in range(players, -1, -1):
            if not lanes.acts[seat, lane]:
                scratch.chosen[seat, lane] = -1
                continue
            many = is_possible(lanes.possible, lane, KINDS * seat + MANY)
            told = given[seat, lane] if is_told and seat < players else np.int32(-1)
            # Which seat decides cannot be predicted by the processor: choose without a branch.
            bit = told if many else seats.noop[seat]
            if many:
                if told < 0:
                    step = step_of(lanes.steps, result.ended, lane)
                    word = word_at(key, place_of(step, seat, lane))
                    bit = _draw_move(seats.start, lanes.legal, seat, lane, word)
            elif not has_move(seats.start, lanes.legal, seat, lane, bit):
                bit = np.int32(
                    nth_one(lanes.legal, lane, seats.start[seat], seats.start[seat + 1], 0)
                )
            scratch.chosen[seat, lane] = bit
            passes = passes and bit == seats.noop[seat]
            if is_serial and seat < players:
                lanes.last[lane] = seat
            if is_told:
                result.acting[seat, lane] = True
                if seat < players:
                    result.action[seat, lane] = bit
        lanes.steps[lane] += 1
        if not passes:
            scratch.stepping[moving] = lane
            moving += 1
    return moving


@compile_kernel(nogil=True, makes_arrays=False)
def find_ends(handle, count):
    """List the lanes of the work list whose episode ends now.

    Returns how many ended by the rules, and how many in all; the former come first.
    """
    lanes, scratch, result = open_lanes(handle), open_scratch(handle), open_result(handle)
    limit = open_seats(handle).numbers[_MAX_STEPS]
    over = KINDS * lanes.acts.shape[0]
    found = 0
    cut = 0
    for k in range(count):
        lane = scratch.work[k]
        if result.ended[lane]:
            continue
        if lanes.punished[lane]:
            scratch.stepping[cut] = lane
            cut += 1
        elif is_possible(lanes.possible, lane, over):
            scratch.ending[found] = lane
            found += 1
        elif (limit > 0 and lanes.steps[lane] >= limit) or is_stuck(lanes.possible, lane):
            scratch.stepping[cut] = lane
            cut += 1
    for k in range(cut):
        scratch.ending[found + k] = scratch.stepping[k]
    return found, found + cut


@compile_kernel(nogil=True, makes_arrays=False)
def end_episodes(handle, terminal, count):
    """Keep how the listed lanes ended, and begin their next episodes. Goals are filled in before.

    The first `terminal` of them ended by the rules. Dead ends get DEAD_END for goals.
    """
    seats, lanes, result = open_seats(handle), open_lanes(handle), open_result(handle)
    ending = open_scratch(handle).ending
    for k in range(count):
        lane = ending[k]
        result.ended[lane] = True
        result.terminated[lane] = k < terminal or lanes.punished[lane]
        if is_stuck(lanes.possible, lane):
            result.goals[:, lane] = DEAD_END
        for word in range(lanes.states.shape[1]):
            result.final_states[lane, word] = lanes.states[lane, word]
        for word in range(lanes.seen.shape[1]):
            result.final_seen[lane, word] = lanes.seen[lane, word]
        if lanes.left[lane] == 0:
            lanes.is_open[lane] = False
            continue
        if lanes.left[lane] > 0:
            lanes.left[lane] -= 1
        lanes.episode[lane] += 1
        _begin_lane(seats, lanes, lane)


@compile_kernel(nogil=True, makes_arrays=False)
def assign_turns(handle, count, key):
    """Say who acts next in the lanes of the work list; keep those that play on by themselves.

    A lane plays on if some seat acts and none has a decision. Returns how many are kept.
    """
    if open_seats(handle).numbers[_IS_SERIAL] == 1:
        return take_serial_turns(handle, count, key)
    lanes, work = open_lanes(handle), open_scratch(handle).work
    possible, is_open, steps = lanes.possible, lanes.is_open, lanes.steps
    players = lanes.decides.shape[0]
    limit = open_seats(handle).numbers[_MAX_STEPS]
    if count == is_open.shape[0] and possible.shape[1] == 1:
        return _assign_all(handle, limit)
    kept = 0
    for k in range(count):
        lane = work[k]
        over = is_over(possible, is_open, steps, lane, limit, players + 1)
        acts = False
        asks = False
        for seat in range(players + 1):
            has = not over and is_possible(possible, lane, KINDS * seat + HAS)
            lanes.acts[seat, lane] = has
            acts |= has
        for player in range(players):
            many = not over and is_possible(possible, lane, KINDS * player + MANY)
            lanes.decides[player, lane] = many
            asks |= many
        if acts and not asks:
            work[kept] = lane
            kept += 1
    return kept


@compile_kernel(nogil=True, makes_arrays=False)
def _assign_all(handle, limit):
    """Do as `assign_turns` where all act together, for all lanes: plain loops, which vectorise."""
    lanes, scratch = open_lanes(handle), open_scratch(handle)
    possible, able = lanes.possible, scratch.able
    players, count = lanes.decides.shape
    over = np.uint64(KINDS * (players + 1))
    for lane in range(count):
        word = possible[lane, 0]
        goes = lanes.is_open[lane] and (word >> over) & _ONE == np.uint64(0)
        able[lane] = word if goes else np.uint64(0)
    if limit > 0:
        for lane in range(count):
            if lanes.steps[lane] >= limit:
                able[lane] = np.uint64(0)
    all_many = np.uint64(0)
    for seat in range(players + 1):
        shift = np.uint64(KINDS * seat + HAS)
        for lane in range(count):
            lanes.acts[seat, lane] = (able[lane] >> shift) & _ONE
    for player in range(players):
        shift = np.uint64(KINDS * player + MANY)
        all_many |= _ONE << shift
        for lane in range(count):
            lanes.decides[player, lane] = (able[lane] >> shift) & _ONE
    kept = 0
    for lane in range(count):
        if able[lane] and not able[lane] & all_many:
            scratch.work[kept] = lane
            kept += 1
    return kept
