"""Compiled loops: rows of states in, rows of bits through a tape, and back."""

from __future__ import annotations

import numpy as np

from gdl_env.engine.circuit.bits import lowest_bit
from gdl_env.engine.circuit.kernel import WIDE, run_one, run_wide
from gdl_env.engine.compiling import compile_kernel


@compile_kernel(nogil=True)
def transpose(square):
    """Turn 64 words of 64 bits over their diagonal."""
    width = 32
    mask = np.uint64(0x00000000FFFFFFFF)
    while width:
        shift = np.uint64(width)
        k = 0
        while k < 64:
            other = k + width
            swap = ((square[k] >> shift) ^ square[other]) & mask
            square[k] ^= swap << shift
            square[other] ^= swap
            k = (other + 1) & ~width
        width >>= 1
        mask ^= mask << np.uint64(width)


@compile_kernel(nogil=True)
def load_states(states, first, data, width, facts):
    """Lay 64 · width states, from the first on, as rows of bits after the constants."""
    square = np.empty(64, np.uint64)
    for group in range(width):
        low = first + 64 * group
        count = min(64, states.shape[0] - low)
        for word in range(states.shape[1]):
            square[:] = np.uint64(0)
            for lane in range(count):
                square[lane] = states[low + lane, word]
            transpose(square)
            for bit in range(min(64, facts - 64 * word)):
                data[(2 + 64 * word + bit) * width + group] = square[bit]


@compile_kernel(nogil=True)
def store_rows(data, width, slots, first, found):
    """Turn rows of bits back into rows of words, one for each state."""
    square = np.empty(64, np.uint64)
    for group in range(width):
        low = first + 64 * group
        count = min(64, found.shape[0] - low)
        if count <= 0:
            break
        for word in range(found.shape[1]):
            square[:] = np.uint64(0)
            for bit in range(min(64, slots.shape[0] - 64 * word)):
                square[bit] = data[slots[64 * word + bit] * width + group]
            transpose(square)
            for lane in range(count):
                found[low + lane, word] = square[lane]


@compile_kernel(nogil=True)
def ask(states, facts, width, tape, slots, found):
    """Run a tape on states; `found` gets the rows of some of its outputs."""
    places, runs, feedback, data = tape
    for first in range(0, states.shape[0], 64 * width):
        load_states(states, first, data, width, facts)
        run(places, runs, feedback, data, width)
        store_rows(data, width, slots, first, found)


@compile_kernel(nogil=True)
def step_states(states, does, facts, moves, width, tape, after, seen, found, percepts):
    """Play moves in states; a state in which nobody moves stays as it is."""
    places, runs, feedback, data = tape
    for first in range(0, states.shape[0], 64 * width):
        load_states(states, first, data, width, facts)
        data[(2 + facts) * width : (2 + facts + moves) * width] = np.uint64(0)
        for i in range(first, min(first + 64 * width, states.shape[0])):
            lane = i - first
            bit = np.uint64(1) << np.uint64(lane & 63)
            for role in range(does.shape[1]):
                if does[i, role] >= 0:
                    data[(2 + facts + does[i, role]) * width + (lane >> 6)] |= bit
        run(places, runs, feedback, data, width)
        store_rows(data, width, after, first, found)
        if percepts.shape[1]:
            store_rows(data, width, seen, first, percepts)


@compile_kernel(nogil=True)
def run(places, runs, feedback, data, width):
    """Run a tape on rows of one word, or of WIDE."""
    if width == WIDE:
        run_wide(places, runs, feedback, data)
    else:
        run_one(places, runs, feedback, data)


@compile_kernel(nogil=True)
def count_bits(rows):
    """Return how many bits are set."""
    count = 0
    for i in range(rows.shape[0]):
        for word in range(rows.shape[1]):
            bits = rows[i, word]
            while bits:
                bits &= bits - np.uint64(1)
                count += 1
    return count


@compile_kernel(nogil=True)
def list_moves(bits, role_of, starts, rows):
    """List the legal moves of each state, role by role; rows of a role lie side by side."""
    roles = starts.shape[1] - 1
    count = 0
    for i in range(bits.shape[0]):
        role = 0
        starts[i, 0] = count
        for word in range(bits.shape[1]):
            left = bits[i, word]
            while left:
                row = 64 * word + lowest_bit(left)
                left &= left - np.uint64(1)
                while role < role_of[row]:
                    role += 1
                    starts[i, role] = count
                rows[count] = row
                count += 1
        while role < roles:
            role += 1
            starts[i, role] = count
