"""One position on the engine's network for single states: putting it up and reading it."""

from __future__ import annotations

import numpy as np

from gdl_env.engine.circuit.events import VALUES, flip, is_true, propagate
from gdl_env.engine.circuit.kernel import run_one
from gdl_env.engine.circuit.raw import get8, get64
from gdl_env.engine.compiling import compile_kernel


@compile_kernel(nogil=True)
def place(frame, state, facts):
    """Put up a state, given as a row of words."""
    values = get64(frame, VALUES)
    count = 0
    for fact in range(facts):
        bit = np.int64((state[fact >> 6] >> np.uint64(fact & 63)) & np.uint64(1))
        if bit != get8(values, 1 + fact):
            count = flip(frame, count, 1 + fact)
    propagate(frame, count)


@compile_kernel(nogil=True)
def hash_of(frame, facts, marks, first):
    """Return the hash of the state."""
    values = get64(frame, VALUES)
    found = first
    for fact in range(facts):
        if get8(values, 1 + fact):
            found ^= marks[fact]
    return found


@compile_kernel(nogil=True)
def find_legal(now, legal, outputs, facts, role_of, rows, first, starts):
    """List the rows of legal moves from a place on; `starts` gets where each role's begin."""
    values, known = get64(now, VALUES), get64(legal, VALUES)
    for fact in range(facts):
        if get8(values, 1 + fact) != get8(known, 1 + fact):
            flip(legal, 0, 1 + fact)
    propagate(legal, 0)
    role, count = 0, first
    starts[0] = first
    for row in range(outputs.shape[0]):
        if is_true(known, outputs[row]):
            while role < role_of[row]:
                role += 1
                starts[role] = count
            rows[count] = row
            count += 1
    while role < starts.shape[0] - 1:
        role += 1
        starts[role] = count
    return count


@compile_kernel(nogil=True)
def goal_of(now, facts, score, player):
    """Return the goal of the player in a final state, the middle where there is none."""
    places, runs, feedback, data, slots, roles, goals = score
    values = get64(now, VALUES)
    for fact in range(facts):
        data[2 + fact] = np.uint64(get8(values, 1 + fact))
    run_one(places, runs, feedback, data)
    best = -1.0
    for k in range(slots.shape[0]):
        if roles[k] == player and data[slots[k]] & np.uint64(1):
            best = max(best, float(goals[k]))
    return best if best >= 0 else 50.0


@compile_kernel(nogil=True)
def evaluate(now, facts, weights):
    """Return what a state seems worth, between 0 and 100; 50 without weights."""
    if weights.shape[0] == 0:
        return 50.0
    values = get64(now, VALUES)
    total = weights[facts]
    for fact in range(facts):
        if get8(values, 1 + fact):
            total += weights[fact]
    return 50.0 + 49.0 * np.tanh(total)
