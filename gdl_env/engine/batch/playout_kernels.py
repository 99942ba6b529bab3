"""Random games from given states, on the tapes or the machine code of the engine."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import load_rows
from gdl_env.engine.batch.layout import FIRST_INPUT
from gdl_env.engine.circuit.native.call import run_machine
from gdl_env.engine.circuit.playouts.loop import DONE, advance, fill_random
from gdl_env.engine.circuit.playouts.records import PlayProgram
from gdl_env.engine.circuit.playouts.results import assign, put_aside, score
from gdl_env.engine.circuit.tape.kernel import run_wide


@compile_kernel(nogil=True)
def play_states(play: PlayProgram, generator, states, limit, goals, traces):
    """Play one game from each state, 64 · width at a time; return DONE when all are played.

    Where a move draws from an experiment without events, returns the place of that experiment.

    - generator: uint64, shape (4, width), the state of a generator for each column
    - states: uint64, shape (states, words), a bit for each fact
    - goals: int32, shape (states, roles), -1 where there is none
    - traces: uint64, shape (states, words), gets a bit for each move of `play.moves` that is made
    """
    # Taken out of their records here: in small games that would take longer than a step.
    data, width, moves = play.step.data, play.step.width, play.moves
    run_address, advance_address = play.step.address, play.advance
    places, runs, feedback = play.step.places, play.step.runs, play.step.feedback
    first_random, random_rows, after = FIRST_INPUT + play.facts, play.random, play.after
    failing = play.failing
    terminal, stuck, is_eager = play.terminal, play.stuck, len(play.eager) > 0
    lanes = 64 * width
    games = np.empty(lanes, np.int64)
    busy = np.zeros(width, np.uint64)
    waiting = np.empty(lanes, np.int64)
    copied = np.empty(play.facts * width, np.uint64)
    waits = 0
    made = np.zeros(len(moves) * width, np.uint64)
    for first in range(0, states.shape[0], lanes):
        count = min(lanes, states.shape[0] - first)
        load_rows(states, np.arange(first, first + count), play.facts, data, width)
        busy[:] = np.uint64(0)
        for lane in range(count):
            games[lane] = first + lane
            busy[lane >> 6] |= np.uint64(1) << np.uint64(lane & 63)
        left = 1
        time = 0
        while left and time <= limit:
            if run_address:
                run_machine(run_address, data, generator)
            else:
                fill_random(generator, data, first_random, random_rows)
                run_wide(places, runs, feedback, data)
            left = 0
            for w in range(width):
                over = data[terminal * width + w] & busy[w]
                if over:
                    if is_eager:
                        assign(play, over, w, games, goals)
                    else:
                        waits = put_aside(play, over, w, games, waiting, waits, goals)
                for k in range(len(failing)):
                    if data[failing[k] * width + w] & busy[w]:
                        return k
                busy[w] &= ~(over | data[stuck * width + w])
                left |= busy[w] != np.uint64(0)
            for k in range(len(moves)):
                for w in range(width):
                    made[k * width + w] |= data[moves[k] * width + w] & busy[w]
            if advance_address:
                run_machine(advance_address, data, generator)
            else:
                advance(data, after, copied)
            time += 1
        if len(moves):
            write_traces(made, width, len(moves), first, traces)
    if waits:
        score(play, waiting, waits, goals)
    return DONE


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
