"""Random play, step after step: gates, what ends, and its results.

Gates are run by the tape on rows of WIDE words, or by machine code on narrower ones: a block of
lanes after the other then. Lanes do not know of each other, so the results are the same.
"""

from __future__ import annotations

import numpy as np

from gdl_env.engine.circuit.kernel import WIDE, run_wide
from gdl_env.engine.circuit.native_call import run_machine
from gdl_env.engine.circuit.playout_results import (
    LONGEST_CODED,
    assign,
    close,
    close_coded,
    decode,
    find_codes,
    put_aside,
    score,
)
from gdl_env.engine.compiling import compile_kernel


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
def play_blocks(addresses, width, step, goal, rows, scores, generator, quota, results):
    """Play all games of all lanes, a block of 64 · width lanes after the other.

    - addresses: of the machine code for a step, for the copy of the state, for goals; or zeros
    - step, goal: (places, runs, feedback, memory) of the tapes
    - rows: (facts, random rows, terminal, stuck, limit, next state, goals, initial state)
    - scores: (slots of goals apart from the step, roles, values, table of goals for codes); larger
      values come later
    """
    facts, initial, data = rows[0], rows[7], step[3]
    lanes = 64 * width
    first_game = 0
    for block in range(WIDE // width):
        for row in range(facts):
            for w in range(width):
                data[(2 + row) * width + w] = ~np.uint64(0) if initial[row] else np.uint64(0)
        columns = generator[:, block * width : (block + 1) * width].copy()
        share = quota[block * lanes : (block + 1) * lanes]
        first_game = _play_block(
            addresses, width, step, goal, rows, scores, columns, share, first_game, results
        )


@compile_kernel(nogil=True)
def _play_block(addresses, width, step, goal, rows, scores, generator, quota, first_game, results):
    """Play the games of one block; return the number of the game after them."""
    places, runs, feedback, data = step
    facts, random_rows, terminal, stuck, limit, after, eager, initial = rows
    lanes = 64 * width
    began = np.zeros(lanes, np.int64)
    # The number of the game that each lane plays, and of the first that it does not.
    games = np.empty(lanes, np.int64)
    stops = np.empty(lanes, np.int64)
    busy = np.zeros(width, np.uint64)
    left = 0
    for lane in range(lanes):
        games[lane] = first_game + left
        left += quota[lane]
        stops[lane] = first_game + left
        if quota[lane] > 0:
            busy[lane >> 6] |= np.uint64(1) << np.uint64(lane & 63)
    last_game = first_game + left
    late = np.zeros(width, np.uint64)
    copied = np.empty(facts * width, np.uint64)
    # Final states wait for their goals until a row of them is full.
    waiting = np.empty(lanes, np.int64)
    waits = 0
    is_coded = len(scores[3]) > 0 and limit < LONGEST_CODED
    coded = np.append(eager, np.int32(terminal))
    codes = np.zeros(64, np.uint8)
    time = 0
    oldest = 0
    while left > 0:
        if addresses[0]:
            run_machine(addresses[0], data, generator)
        else:
            fill_random(generator, data, 2 + facts, random_rows)
            run_wide(places, runs, feedback, data)
        is_late = time - oldest >= limit
        if is_late:
            oldest = _find_late(time, limit, began, late)
        for w in range(width):
            over = data[terminal * width + w]
            end = (over | data[stuck * width + w]) & busy[w]
            if is_late:
                late[w] &= busy[w] & ~end
                end |= late[w]
            if not end:
                continue
            if is_coded:
                find_codes(width, end, w, data, coded, codes)
                left -= close_coded(time, end, w, codes, began, games, stops, busy, results[0])
                continue
            if len(eager):
                assign(width, end, w, data, eager, scores, games, results)
            else:
                waits = put_aside(
                    addresses[2],
                    width,
                    end,
                    w,
                    data,
                    facts,
                    goal,
                    scores,
                    games,
                    waiting,
                    waits,
                    results,
                )
            left -= close(time, end, over, w, began, games, stops, busy, results)
        if addresses[1]:
            run_machine(addresses[1], data, generator)
        else:
            advance(data, after, facts, copied)
        if is_late:
            _restart(data, facts, width, late, initial)
        time += 1
    if is_coded:
        decode(first_game, last_game, scores[3], len(eager), results)
    if waits:
        score(addresses[2], width, goal, scores, waiting, waits, results)
    return last_game


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
def advance(data, after, facts, copied):
    """Make the next state the state; what comes next may itself be part of the state."""
    for row in range(facts):
        source = after[row] * WIDE
        for w in range(WIDE):
            copied[row * WIDE + w] = data[source + w]
    for k in range(facts * WIDE):
        data[2 * WIDE + k] = copied[k]


@compile_kernel(nogil=True)
def _restart(data, facts, width, late, initial):
    """Let lanes that were cut start again."""
    for row in range(facts):
        for w in range(width):
            if initial[row]:
                data[(2 + row) * width + w] |= late[w]
            else:
                data[(2 + row) * width + w] &= ~late[w]
