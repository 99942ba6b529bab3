"""Random games from given states, on the tapes or the machine code of the engine."""

from __future__ import annotations

import numpy as np

from gdl_agents.search.kernels.states import load_states
from gdl_env.engine.circuit.kernel import run_wide
from gdl_env.engine.circuit.native_call import run_machine
from gdl_env.engine.circuit.playout_loop import advance, fill_random
from gdl_env.engine.circuit.playout_results import assign, put_aside, score
from gdl_env.engine.compiling import compile_kernel


@compile_kernel(nogil=True)
def play_states(
    addresses, width, step, goal, rows, scores, generator, states, results, moves, traces
):
    """Play one game from each state, 64 · width at a time.

    - addresses: of the machine code for a step, for the copy of the state, for goals; or zeros
    - step, goal: (places, runs, feedback, memory) of the tapes
    - rows: (facts, random rows, terminal, stuck, limit, next state, goals)
    - scores: (slots of goals apart from the step, roles, values, unused); larger values come later
    - moves, traces: slots of moves that are chosen, and for each state a row of bits, one a move,
      that gets those of its game; or nothing
    """
    places, runs, feedback, data = step
    facts, random_rows, terminal, stuck, limit, after, eager = rows
    lanes = 64 * width
    games = np.empty(lanes, np.int64)
    busy = np.zeros(width, np.uint64)
    copied = np.empty(facts * width, np.uint64)
    waiting = np.empty(lanes, np.int64)
    waits = 0
    made = np.zeros(len(moves) * width, np.uint64)
    for first in range(0, states.shape[0], lanes):
        count = min(lanes, states.shape[0] - first)
        load_states(states, first, data, width, facts)
        busy[:] = np.uint64(0)
        for lane in range(count):
            games[lane] = first + lane
            busy[lane >> 6] |= np.uint64(1) << np.uint64(lane & 63)
        left = 1
        time = 0
        while left and time <= limit:
            if addresses[0]:
                run_machine(addresses[0], data, generator)
            else:
                fill_random(generator, data, 2 + facts, random_rows)
                run_wide(places, runs, feedback, data)
            left = 0
            for w in range(width):
                over = data[terminal * width + w] & busy[w]
                if over:
                    if len(eager):
                        assign(width, over, w, data, eager, scores, games, results)
                    else:
                        waits = put_aside(
                            addresses[2],
                            width,
                            over,
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
                busy[w] &= ~(over | data[stuck * width + w])
                left |= busy[w] != np.uint64(0)
            for k in range(len(moves)):
                for w in range(width):
                    made[k * width + w] |= data[moves[k] * width + w] & busy[w]
            if addresses[1]:
                run_machine(addresses[1], data, generator)
            else:
                advance(data, after, facts, copied)
            time += 1
        if len(moves):
            write_traces(made, width, len(moves), first, traces)
    if waits:
        score(addresses[2], width, goal, scores, waiting, waits, results)


@compile_kernel(nogil=True)
def write_traces(made, width, count, first, traces):
    """Turn rows of lanes into a row of moves for each lane, and clear them."""
    for k in range(count):
        bit = np.uint64(1) << np.uint64(k & 63)
        for w in range(width):
            word = made[k * width + w]
            made[k * width + w] = np.uint64(0)
            lane = first + 64 * w
            while word:
                if word & np.uint64(1):
                    traces[lane, k >> 6] |= bit
                word >>= np.uint64(1)
                lane += 1
