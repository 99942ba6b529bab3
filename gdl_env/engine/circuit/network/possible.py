"""What a role can do, in short: whether it has a move, several, and one besides `noop`.

Environments ask this of every state. As part of the circuit it costs three gates a move.
"""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.circuit.network.build import Wiring
from gdl_env.engine.circuit.network.logic import FALSE, Literals, Network, and2, or2
from gdl_env.engine.circuit.network.vocabulary import RowVocabulary
from gdl_env.play.noop import is_noop

# Outputs of each role, in this order.
HAS, MANY, REAL = 0, 1, 2
KINDS = 3
# Gates for each legal move, at the most.
GATES_A_MOVE = 4


def add_possible(net: Network, wiring: Wiring, vocabulary: RowVocabulary) -> Literals:
    """Add the outputs of all roles, KINDS of each, in the order of the vocabulary."""
    found: list[int] = []
    for role in vocabulary.roles:
        real: list[int] = []
        passing: list[int] = []
        for (owner, move), literal in zip(vocabulary.legal, wiring.legal, strict=True):
            if owner == role:
                (passing if is_noop(move) else real).append(int(literal))
        has_real, several = _count_to_two(net, np.array(real, np.int32))
        has_pass, _ = _count_to_two(net, np.array(passing, np.int32))
        many = or2(net, several, and2(net, has_real, has_pass))
        found += [int(or2(net, has_real, has_pass)), int(many), int(has_real)]
    return np.array(found, np.int32)


@compile_kernel()
def _count_to_two(net, literals):
    """Return whether one of the literals holds, and whether two do; the array is used up."""
    count = literals.shape[0]
    if count == 0:
        return np.int32(FALSE), np.int32(FALSE)
    twice = np.full(count, FALSE, np.int32)
    while count > 1:
        half = 0
        for i in range(0, count - 1, 2):
            a, b = literals[i], literals[i + 1]
            both = or2(net, and2(net, a, b), or2(net, twice[i], twice[i + 1]))
            literals[half] = or2(net, a, b)
            twice[half] = both
            half += 1
        if count & 1:
            literals[half] = literals[count - 1]
            twice[half] = twice[count - 1]
            half += 1
        count = half
    return literals[0], twice[0]
