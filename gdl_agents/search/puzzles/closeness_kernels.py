"""How much of a condition holds, and how far facts are from holding, in compiled code."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.circuit.network.logic import AND, ANDNOT, OR

# States that are evaluated side by side.
LANES = 64
# How much each of two parts counts, where one of them must hold: the nearer one may be out of
# reach.
_NEARER, _FARTHER = np.float32(0.75), np.float32(0.25)


@compile_kernel(nogil=True, makes_arrays=False)
def holds(states, state, fact):
    """Tell whether a fact holds."""
    word = states[state, fact >> 6]
    return (word >> np.uint64(fact & 63)) & np.uint64(1) != np.uint64(0)


@compile_kernel(nogil=True)
def measure_closeness(states, formula, ladders, values):
    """Write how close states are to a condition, from 0 to 1, where it holds.

    - states: (n, words)
    - formula: GoalFormula
    - ladders: Ladders, of its leaves
    - values: (n) float64
    """
    is_so, is_not = make_nodes(formula)
    for first in range(0, states.shape[0], LANES):
        count = min(LANES, states.shape[0] - first)
        evaluate_nodes(states, first, count, formula, ladders, is_so, is_not)
        values[first : first + count] = is_so[is_so.shape[0] - 1, :count]


@compile_kernel(nogil=True)
def make_nodes(formula):
    """Return room for how much nodes hold, and their opposites, in some states side by side."""
    nodes = 2 + formula.leaves.shape[0] + formula.gates.shape[0]
    is_so, is_not = np.zeros((nodes, LANES), np.float32), np.zeros((nodes, LANES), np.float32)
    is_not[0], is_so[1] = np.float32(1), np.float32(1)
    return is_so, is_not


@compile_kernel(nogil=True, makes_arrays=False)
def evaluate_nodes(states, first, count, formula, ladders, is_so, is_not):
    """Write how much nodes hold, and their opposites, in `count` states from `first` on."""
    leaves = formula.leaves.shape[0]
    for leaf in range(leaves):
        for lane in range(count):
            if holds(states, first + lane, formula.leaves[leaf]):
                is_so[2 + leaf, lane], is_not[2 + leaf, lane] = np.float32(1), np.float32(0)
            else:
                near = _climb(states, first + lane, leaf, ladders)
                is_so[2 + leaf, lane], is_not[2 + leaf, lane] = near, np.float32(1)
    for place in range(formula.gates.shape[0]):
        _evaluate(place, 2 + leaves + place, formula, is_so, is_not)


@compile_kernel(nogil=True, makes_arrays=False)
def _climb(states, state, leaf, ladders):
    """Return how near a fact is that does not hold, below 1, by the worst of its ladders."""
    found = np.float32(1)
    for ladder in range(ladders.starts[leaf], ladders.starts[leaf + 1]):
        near = np.float32(0)
        for rung in range(ladders.rungs[ladder], ladders.rungs[ladder + 1]):
            if holds(states, state, ladders.facts[rung]):
                near = ladders.values[rung]
                break
        found = min(found, near)
    return found if ladders.starts[leaf] < ladders.starts[leaf + 1] else np.float32(0)


@compile_kernel(nogil=True, makes_arrays=False)
def _evaluate(place, node, formula, is_so, is_not):
    """Evaluate a gate in all lanes."""
    kind = formula.gates[place, 0]
    left, right = formula.gates[place, 1], formula.gates[place, 2]
    weights = formula.weights
    if kind == AND:
        _mean(is_so[left], is_so[right], weights[left, 0], weights[right, 0], is_so[node])
        _either(is_not[left], is_not[right], is_not[node])
    elif kind == ANDNOT:
        _mean(is_so[left], is_not[right], weights[left, 0], weights[right, 1], is_so[node])
        _either(is_not[left], is_so[right], is_not[node])
    elif kind == OR:
        _either(is_so[left], is_so[right], is_so[node])
        _mean(is_not[left], is_not[right], weights[left, 1], weights[right, 1], is_not[node])
    else:
        for lane in range(LANES):
            a, b = is_so[left, lane], is_so[right, lane]
            c, d = is_not[left, lane], is_not[right, lane]
            is_so[node, lane] = max(min(a, d), min(c, b))
            is_not[node, lane] = max(min(a, b), min(c, d))


@compile_kernel(nogil=True, makes_arrays=False)
def _mean(a, b, weight, other, found):
    """Write the mean of two parts by their weights."""
    total = weight + other
    share = weight / total if total > 0 else np.float32(0.5)
    for lane in range(LANES):
        found[lane] = share * a[lane] + (np.float32(1) - share) * b[lane]


@compile_kernel(nogil=True, makes_arrays=False)
def _either(a, b, found):
    """Write how near one of two parts is: mostly by the nearer one."""
    for lane in range(LANES):
        near, far = max(a[lane], b[lane]), min(a[lane], b[lane])
        found[lane] = near if near >= np.float32(1) else _NEARER * near + _FARTHER * far


@compile_kernel(nogil=True, makes_arrays=False)
def measure_novelty(states, groups, seen, values):
    """Write how rare the rarest fact of each state is, and count its facts as seen.

    - groups: int64 (n) of how many groups of states each is in
    - seen: float32 (groups, facts) how often facts were seen in each group
    - values: (n) float64
    """
    for state in range(states.shape[0]):
        least = np.float32(1e30)
        own = seen[groups[state]]
        for fact in range(seen.shape[1]):
            if holds(states, state, fact):
                least = min(least, own[fact])
                own[fact] += np.float32(1)
        values[state] = 1.0 / (1.0 + least)
