"""The condition of the highest goal as a formula of facts: what of it holds can be counted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.layout import FIRST_INPUT, ONE, ZERO
from gdl_env.engine.circuit.network.logic import AND, ANDNOT, OR
from gdl_env.engine.circuit.tape.tape import Tape

# A formula of more gates takes longer than the rules themselves.
_MOST_GATES = 30_000
# The weight of a part at the most: parts that are used again and again count again and again.
_HEAVIEST = 1e6


class GoalFormula(NamedTuple):
    """Gates in the order in which they are computed; the last one is the condition.

    Node 0 is false, node 1 true, then come leaves, then gates.
    """

    # int32 (leaves): the facts that it is made of.
    leaves: NDArray[np.int32]
    # int32 (gates, 3): kind, left and right node.
    gates: NDArray[np.int32]
    # float32 (nodes, 2): how much a node counts as part of another; and its opposite.
    weights: NDArray[np.float32]
    # bool (leaves): whether a leaf helps if it holds; the others help if they do not.
    is_wanted: NDArray[np.bool_]

    @property
    def nodes(self) -> int:
        """Return how many nodes there are."""
        return 2 + len(self.leaves) + len(self.gates)


def make_goal_formula(rules: CircuitBatch, role: int, value: int) -> GoalFormula | None:
    """Return the condition of a goal; None where it depends on no fact, or is too long."""
    wanted = rules.roles[role], value
    place = rules.vocabulary.goals.index(wanted)
    tape = rules.compiled.score
    gates, slots = _unroll(tape)
    end = int(slots[int(tape.outputs[0][place])])
    first_gate = FIRST_INPUT + tape.inputs
    used = np.zeros(first_gate + len(gates), np.bool_)
    used[end] = True
    for node in range(len(used) - 1, first_gate - 1, -1):
        if used[node]:
            used[list(gates[node - first_gate][1:])] = True
    used[[ZERO, ONE]] = False
    facts = np.flatnonzero(used[:first_gate])
    kept = np.flatnonzero(used[first_gate:])
    if not len(facts) or len(kept) > _MOST_GATES:
        return None
    number = np.zeros(len(used), np.int32)
    number[ONE] = 1
    number[facts] = 2 + np.arange(len(facts))
    number[first_gate + kept] = 2 + len(facts) + np.arange(len(kept))
    short = np.array([gates[k] for k in kept], np.int32).reshape(-1, 3)
    short[:, 1:] = number[short[:, 1:]]
    if not len(kept):
        # A fact alone.
        short = np.array([[OR, number[end], 0]], np.int32)
    leaves = (facts - FIRST_INPUT).astype(np.int32)
    weights = _weigh(short, len(leaves))
    return GoalFormula(leaves, short, weights, _find_wanted(short, len(leaves)))


def _unroll(tape: Tape) -> tuple[list[tuple[int, int, int]], NDArray[np.int64]]:
    """Return gates that are written once each, and where slots are found at the end.

    Cycles are gone through once.
    """
    slots = np.zeros(tape.slots, np.int64)
    slots[: FIRST_INPUT + tape.inputs] = np.arange(FIRST_INPUT + tape.inputs)
    gates = []
    for _, first, end, _ in tape.runs.tolist():
        for kind, target, left, right in tape.operations[first:end].tolist():
            gates.append((kind, int(slots[left]), int(slots[right])))
            slots[target] = FIRST_INPUT + tape.inputs + len(gates) - 1
    return gates, slots


def _weigh(gates: NDArray[np.int32], leaves: int) -> NDArray[np.float32]:
    """Return how much nodes and their opposites count: as many facts as must hold together."""
    weights = np.zeros((2 + leaves + len(gates), 2), np.float32)
    weights[2 : 2 + leaves] = 1.0
    for node, (kind, left, right) in enumerate(gates.tolist(), 2 + leaves):
        (a, not_a), (b, not_b) = weights[left].tolist(), weights[right].tolist()
        if kind == ANDNOT:
            b, not_b = not_b, b
        if kind in (AND, ANDNOT):
            weights[node] = min(a + b, _HEAVIEST), max(not_a, not_b)
        elif kind == OR:
            weights[node] = max(a, b), min(not_a + not_b, _HEAVIEST)
        else:
            weights[node] = min(a + b, _HEAVIEST)
    return weights


def _find_wanted(gates: NDArray[np.int32], leaves: int) -> NDArray[np.bool_]:
    """Tell which leaves help the condition if they hold."""
    # By node: whether it helps if it holds, and if it does not.
    helps = np.zeros((2 + leaves + len(gates), 2), np.bool_)
    helps[-1, 0] = True
    for place in range(len(gates) - 1, -1, -1):
        kind, left, right = gates[place].tolist()
        own = helps[2 + leaves + place].copy()
        if kind in (AND, OR, ANDNOT):
            helps[left] |= own
            helps[right] |= own[::-1] if kind == ANDNOT else own
        else:
            helps[[left, right]] |= own.any()
    wanted: NDArray[np.bool_] = helps[2 : 2 + leaves, 0]
    return wanted
