"""Random play, step after step: gates, what ends, and its results.

Gates are run by the tape on rows of WIDE words, or by machine code on narrower ones: a block of
lanes after the other then. Lanes do not know of each other, so the results are the same.
"""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.layout import FIRST_INPUT
from gdl_env.engine.circuit.native.call import run_machine
from gdl_env.engine.circuit.playouts.records import (
    BEGAN,
    GAME,
    STOPS,
    PlayoutResults,
    PlayProgram,
    Progress,
)
from gdl_env.engine.circuit.playouts.results import (
    LONGEST_CODED,
    assign,
    close,
    close_coded,
    decode,
    find_codes,
    put_aside,
    score,
)
from gdl_env.engine.circuit.tape.kernel import WIDE, run_wide

# What a slice ends with, beside the places of experiments.
PLAYING, DONE = -1, -2

# The clock: the block that is played, its first game and how many there are, the time in steps,
# games left, final states that wait, and when the oldest game began.
_BLOCK, _FIRST, _GAMES, _TIME, _LEFT, _WAITS, _OLDEST = range(7)
_NOT_BEGUN = -1


@compile_kernel(nogil=True)
def fill_random(state, data, first, count):
    """Fill rows with random words: one xoshiro256++ generator for each column."""
    for k in range(count):
        for w in range(WIDE):
            s0, s1, s2, s3 = state[0, w], state[1, w], state[2, w], state[3, w]
            x = s0 + s3
            data[(first + k) * WIDE + w] = ((x << np.uint64(23)) | (x >> np.uint64(41))) + s0
            t = s1 << np.uint64(17)
            s2 ^= s0
            s3 ^= s1
            s1 ^= s2
            s0 ^= s3
            s2 ^= t
            s3 = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
            state[0, w], state[1, w], state[2, w], state[3, w] = s0, s1, s2, s3


@compile_kernel(nogil=True)
def advance(data, after, copied):
    """Make the next state the state, without machine code.

    What comes next may itself be part of the state. `copied` is room for the rows of a state.
    """
    facts = len(after)
    for row in range(facts):
        source = after[row] * WIDE
        for w in range(WIDE):
            copied[row * WIDE + w] = data[source + w]
    for k in range(facts * WIDE):
        data[FIRST_INPUT * WIDE + k] = copied[k]


def make_progress(width: int, facts: int) -> Progress:
    """Return what `play_slice` keeps from one call to the next, before the first."""
    clock = np.zeros(7, np.int64)
    clock[_TIME] = _NOT_BEGUN
    return Progress(
        clock,
        np.zeros((3, 64 * width), np.int64),
        np.zeros(width, np.uint64),
        np.zeros(64 * width, np.int64),
        np.zeros(width, np.uint64),
        np.zeros((4, width), np.uint64),
        np.empty(facts * width, np.uint64),
    )


@compile_kernel(nogil=True)
def play_slice(
    play: PlayProgram, generator, quota, limit, results: PlayoutResults, progress: Progress, steps
):
    """Play games, for so many steps at most, a block of 64 · width lanes after the other.

    Returns PLAYING if games are left, else DONE; or, where a move draws from an experiment without
    events, the place of that experiment, and no further slice may be played.

    - generator: uint64, shape (4, WIDE), the state of a generator for each column of a wide row
    - quota: int64, shape (64 · WIDE), how many games each lane plays
    - limit: steps after which a game is cut
    - progress: of `make_progress`; the same games are played however they are cut into slices
    """
    clock = progress.clock
    while clock[_BLOCK] < WIDE // play.step.width:
        if clock[_TIME] == _NOT_BEGUN:
            _begin_block(play, generator, quota, progress)
        found, steps = _play_block(play, limit, results, progress, steps)
        if found != DONE:
            return found
        clock[_BLOCK] += 1
        clock[_TIME] = _NOT_BEGUN
    return DONE


@compile_kernel(nogil=True)
def _begin_block(play: PlayProgram, generator, quota, progress: Progress):
    """Put all lanes of a block at the initial state, and share its games out."""
    clock, lanes, busy = progress.clock, progress.lanes, progress.busy
    data, width = play.step.data, play.step.width
    for row in range(play.facts):
        for w in range(width):
            place = (FIRST_INPUT + row) * width + w
            data[place] = ~np.uint64(0) if play.initial[row] else np.uint64(0)
    block = clock[_BLOCK]
    progress.generator[:] = generator[:, block * width : (block + 1) * width]
    first_lane = block * 64 * width
    busy[:] = np.uint64(0)
    progress.late[:] = np.uint64(0)
    clock[_FIRST] += clock[_GAMES]
    left = 0
    for lane in range(64 * width):
        share = quota[first_lane + lane]
        lanes[BEGAN, lane] = 0
        lanes[GAME, lane] = clock[_FIRST] + left
        left += share
        lanes[STOPS, lane] = clock[_FIRST] + left
        if share > 0:
            busy[lane >> 6] |= np.uint64(1) << np.uint64(lane & 63)
    clock[_GAMES] = left
    clock[_TIME], clock[_LEFT], clock[_WAITS], clock[_OLDEST] = 0, left, 0, 0


@compile_kernel(nogil=True)
def _play_block(play: PlayProgram, limit, results: PlayoutResults, progress: Progress, steps_left):
    """Play the games of one block; return as `play_slice` does, and how many steps remain."""
    # Taken out of their records here: in small games that would take longer than a step.
    data, width, eager = play.step.data, play.step.width, play.eager
    run_address, advance_address = play.step.address, play.advance
    places, runs, feedback = play.step.places, play.step.runs, play.step.feedback
    first_random, random_rows = FIRST_INPUT + play.facts, play.random
    terminal, stuck, after, failing = play.terminal, play.stuck, play.after, play.failing
    clock, lanes, busy = progress.clock, progress.lanes, progress.busy
    generator, copied = progress.generator, progress.copied
    waiting, late = progress.waiting, progress.late
    steps, goals = results.steps, results.goals
    is_coded = len(play.code_goals) > 0 and limit < LONGEST_CODED
    coded = np.append(eager, np.int32(terminal))
    codes = np.zeros(64, np.uint8)
    time, left, waits, oldest = clock[_TIME], clock[_LEFT], clock[_WAITS], clock[_OLDEST]
    fails = len(failing) > 0
    last = time + steps_left
    while left > 0:
        if time == last:
            clock[_TIME], clock[_LEFT], clock[_WAITS], clock[_OLDEST] = time, left, waits, oldest
            return PLAYING, 0
        if run_address:
            run_machine(run_address, data, generator)
        else:
            fill_random(generator, data, first_random, random_rows)
            run_wide(places, runs, feedback, data)
        is_late = time - oldest >= limit
        if is_late:
            oldest = _find_late(time, limit, lanes[BEGAN], late)
        for w in range(width):
            over = data[terminal * width + w]
            end = (over | data[stuck * width + w]) & busy[w]
            if fails and end:
                # A game that is cut here does not draw any more.
                played = end & ~late[w] if is_late else end
                for k in range(len(failing)):
                    if data[failing[k] * width + w] & played:
                        return k, 0
            if is_late:
                late[w] &= busy[w] & ~end
                end |= late[w]
            if not end:
                continue
            if is_coded:
                find_codes(width, end, w, data, coded, codes)
                left -= close_coded(time, end, w, codes, lanes, busy, steps)
                continue
            if len(eager):
                assign(play, end, w, lanes[GAME], goals)
            else:
                waits = put_aside(play, end, w, lanes[GAME], waiting, waits, goals)
            left -= close(time, end, over, w, lanes, busy, results)
        if advance_address:
            run_machine(advance_address, data, generator)
        else:
            advance(data, after, copied)
        if is_late:
            _restart(play, late)
        time += 1
    if is_coded:
        first = clock[_FIRST]
        decode(first, first + clock[_GAMES], play.code_goals, len(eager), results)
    if waits:
        score(play, waiting, waits, goals)
    return DONE, last - time


@compile_kernel(nogil=True)
def _find_late(time, limit, began, late):
    """Mark lanes whose game takes too long; return when the oldest of the others began."""
    oldest = time
    late[:] = np.uint64(0)
    for lane in range(len(began)):
        if time - began[lane] >= limit:
            late[lane >> 6] |= np.uint64(1) << np.uint64(lane & 63)
        else:
            oldest = min(oldest, began[lane])
    return oldest


@compile_kernel(nogil=True)
def _restart(play: PlayProgram, late):
    """Let lanes that were cut start again."""
    data, width = play.step.data, play.step.width
    for row in range(play.facts):
        for w in range(width):
            place = (FIRST_INPUT + row) * width + w
            if play.initial[row]:
                data[place] |= late[w]
            else:
                data[place] &= ~late[w]
