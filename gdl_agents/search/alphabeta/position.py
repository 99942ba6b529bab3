"""One position on the engine's network for single states: putting it up and reading it."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.circuit.single_state.events import VALUES, flip, is_true, propagate
from gdl_env.engine.circuit.single_state.raw import get8, get64
from gdl_env.engine.circuit.tape.kernel import run_one


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
def find_legal(networks, facts, legal, moves, rows, first, starts):
    """List the rows of legal moves from a place on; `starts` gets where each role's begin."""
    values, known = get64(networks.now, VALUES), get64(networks.legal, VALUES)
    for fact in range(facts):
        if get8(values, 1 + fact) != get8(known, 1 + fact):
            flip(networks.legal, 0, 1 + fact)
    propagate(networks.legal, 0)
    role, count = 0, first
    starts[0] = first
    for row in range(legal.shape[0]):
        if is_true(known, legal[row]):
            while role < moves[row].role:
                role += 1
                starts[role] = count
            rows[count] = row
            count += 1
    while role < starts.shape[0] - 1:
        role += 1
        starts[role] = count
    return count


@compile_kernel(nogil=True)
def goal_of(now, facts, scoring, player):
    """Return the goal of the player in a final state, the middle where there is none."""
    data = scoring.data
    values = get64(now, VALUES)
    for fact in range(facts):
        data[2 + fact] = np.uint64(get8(values, 1 + fact))
    run_one(scoring.places, scoring.runs, scoring.feedback, data)
    best = -1.0
    for k in range(scoring.goals.shape[0]):
        goal = scoring.goals[k]
        if goal.role == player and data[goal.slot] & np.uint64(1):
            best = max(best, float(goal.value))
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
