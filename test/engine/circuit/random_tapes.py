"""Tapes of random networks."""

from __future__ import annotations

import numpy as np

from gdl_env.engine.circuit.network.build import Loop
from gdl_env.engine.circuit.network.logic import add_input, and2, make_network, or2, xor2
from gdl_env.engine.circuit.tape.tape import Tape, make_tape


def random_tape(seed: int) -> Tape:
    """Return the tape of a random network; every other one has cycles."""
    chance = np.random.default_rng(seed)
    gates = int(chance.choice([3, 40, 400, 3000]))
    net = make_network(4 * gates + 200)
    facts = int(chance.integers(4, 60))
    literals = [int(add_input(net)) for _ in range(facts)]
    inputs = np.array(literals, np.int32)
    loops = []
    for _ in range(int(chance.integers(0, 4)) if seed % 2 else 0):
        _grow(net, literals, gates // 4, chance)
        loops.append(_random_loop(net, literals, chance))
    _grow(net, literals, gates, chance)
    flips = chance.integers(0, 2, 12)
    ends = np.array(chance.choice(literals[-9:], 12) ^ flips, np.int32)
    after = np.array(chance.choice(literals, facts - 3), np.int32)
    return make_tape(net, inputs, [ends, after, inputs[:2]], loops)


def _grow(net: object, literals: list[int], gates: int, chance: np.random.Generator) -> None:
    operations = (and2, or2, xor2)
    for _ in range(gates):
        low = 0 if chance.integers(4) == 0 else max(0, len(literals) - 30)
        a, b = (
            literals[int(k)] ^ int(chance.integers(2))
            for k in chance.integers(low, len(literals), 2)
        )
        literals.append(int(operations[int(chance.integers(3))](net, a, b)))


def _random_loop(net: object, literals: list[int], chance: np.random.Generator) -> Loop:
    """Add a cycle: what is fed back is never inverted, so that it comes to an end."""
    size = int(chance.integers(1, 20))
    fed = [int(add_input(net)) for _ in range(size)]
    inside = list(fed)
    for _ in range(4 * size):
        a = inside[int(chance.integers(len(inside)))]
        pool = inside if chance.integers(2) else literals
        b = pool[int(chance.integers(len(pool)))]
        inside.append(int((and2, or2)[int(chance.integers(2))](net, a, b)))
    results = chance.choice(inside[size:] + literals[-2:], size)
    literals += inside
    return Loop(np.array(fed, np.int32), np.array(results, np.int32))
