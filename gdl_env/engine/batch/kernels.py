"""Compiled loops of the circuit's batch: rows of states in, through a tape, and back."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import load_rows, store_rows
from gdl_env.engine.batch.layout import FIRST_INPUT, ONE
from gdl_env.engine.batch.word_bits import count_ones, lowest_one
from gdl_env.engine.circuit.tape.program import run_program
from gdl_env.word_rows import choose_words


@compile_kernel(nogil=True)
def ask_states(program, facts, slots, states, found):
    """Run a program on states; `found` gets the outputs in some slots, a row a state.

    - slots: (bits) int32
    - states: (states, words) uint64; found: (states, words for the slots) uint64
    """
    size = 64 * program.width
    for first in range(0, states.shape[0], size):
        chosen = np.arange(first, min(first + size, states.shape[0]))
        load_rows(states, chosen, facts, program.data, program.width)
        run_program(program)
        store_rows(program.data, program.width, slots, chosen, found)


@compile_kernel(nogil=True)
def step_states(rules, states, does, found, percepts):
    """Play moves in states.

    - rules: StepRules
    - states: (states, words) uint64
    - does: (states, roles) int32, rows of what is done, negative for roles that do not act
    - found: (states, words) the states after; percepts: (states, words) what was perceived
    """
    program = rules.program
    size = 64 * program.width
    for first in range(0, states.shape[0], size):
        chosen = np.arange(first, min(first + size, states.shape[0]))
        load_rows(states, chosen, rules.facts, program.data, program.width)
        clear_moves(rules)
        for place in range(chosen.shape[0]):
            for role in range(does.shape[1]):
                if does[first + place, role] >= 0:
                    set_move(rules, does[first + place, role], place)
        run_program(program)
        store_rows(program.data, program.width, rules.after, chosen, found)
        if percepts.shape[1]:
            store_rows(program.data, program.width, rules.percepts, chosen, percepts)


@compile_kernel(nogil=True, makes_arrays=False)
def clear_moves(rules):
    """Begin a step in which nothing is done."""
    width = rules.program.width
    low = (FIRST_INPUT + rules.facts) * width
    rules.program.data[low : low + rules.moves * width] = np.uint64(0)


@compile_kernel(nogil=True, makes_arrays=False)
def set_move(rules, row, place):
    """Let a move be done in the state at a place."""
    width = rules.program.width
    word = (FIRST_INPUT + rules.facts + row) * width + (place >> 6)
    rules.program.data[word] |= np.uint64(1) << np.uint64(place & 63)


@compile_kernel(nogil=True, makes_arrays=False)
def advance_state(rules, room):
    """Make the next state, which a step has computed, the state.

    - room: words for a state that are written over
    """
    data, width = rules.program.data, rules.program.width
    moved, after = rules.moved, rules.after
    # What comes next may itself be part of the state.
    every = data[ONE * width : (ONE + 1) * width]
    for k in range(moved.shape[0]):
        source = np.int64(after[moved[k]]) * width
        choose_words(room, data, data, every, (k * width, source, source))
    for k in range(moved.shape[0]):
        target = (FIRST_INPUT + np.int64(moved[k])) * width
        choose_words(data, room, room, every, (target, k * width, k * width))


@compile_kernel(nogil=True, makes_arrays=False)
def pass_facts(source, target, reads, width):
    """Copy the facts that a program reads from the memory of one program to that of another."""
    every = source[ONE * width : (ONE + 1) * width]
    for k in range(reads.shape[0]):
        place = (FIRST_INPUT + np.int64(reads[k])) * width
        choose_words(target, source, source, every, (place, place, place))


@compile_kernel(nogil=True, makes_arrays=False)
def count_bits(rows):
    """Return how many bits are set."""
    count = 0
    for i in range(rows.shape[0]):
        for word in range(rows.shape[1]):
            count += count_ones(rows[i, word])
    return count


@compile_kernel(nogil=True, makes_arrays=False)
def list_moves(bits, role_of, starts, rows, count):
    """List the legal moves of each state, role by role; rows of a role lie side by side.

    Takes and returns how many rows there are.
    """
    roles = starts.shape[1] - 1
    for i in range(bits.shape[0]):
        role = 0
        starts[i, 0] = count
        for word in range(bits.shape[1]):
            left = bits[i, word]
            while left:
                row = 64 * word + lowest_one(left)
                left &= left - np.uint64(1)
                while role < role_of[row]:
                    role += 1
                    starts[i, role] = count
                rows[count] = row
                count += 1
        while role < roles:
            role += 1
            starts[i, role] = count
    return count
