"""The verifier: good artefacts pass, and each way to break one is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from random_tapes import random_tape

from gdl_env.engine.circuit import verifier
from gdl_env.engine.circuit.network.build import Loop, Wiring
from gdl_env.engine.circuit.network.logic import (
    AND,
    INPUT,
    KIND,
    LEFT,
    RIGHT,
    Network,
    add_input,
    and2,
    make_network,
    or2,
)
from gdl_env.engine.circuit.tape.columns import (
    END,
    FED_INPUT,
    FED_LOOP,
    FED_RESULT,
    FIRST,
    LOOP,
    RUN_KIND,
    TARGET,
)
from gdl_env.engine.circuit.tape.columns import LEFT as READ
from gdl_env.engine.circuit.tape.tape import Tape
from gdl_env.engine.circuit.verifier import VerifierError

# ---- networks


def small_network() -> tuple[Network, Wiring]:
    """Return inputs 1, 2 and 3, of which 3 is fed back, and gates 4 and 5."""
    net = make_network(20)
    a, b, fed = (int(add_input(net)) for _ in range(3))
    both = int(and2(net, a, b))
    some = int(or2(net, both, fed))
    nothing = np.zeros(0, np.int32)
    loop = Loop(np.array([fed], np.int32), np.array([some], np.int32))
    wiring = Wiring(np.array([a, b], np.int32), both, nothing, nothing, nothing, loops=[loop])
    return net, wiring


def set_node(node: int, column: int, value: int) -> Callable[[Network, Wiring], None]:
    def change(net: Network, wiring: Wiring) -> None:
        net.gates[node, column] = value

    return change


def swap_children(net: Network, wiring: Wiring) -> None:
    net.gates[4, LEFT], net.gates[4, RIGHT] = 2, 1


def repeat_gate(net: Network, wiring: Wiring) -> None:
    net.gates[6] = net.gates[4]
    net.table[int(np.flatnonzero(net.table == 0)[0])] = 6
    net.size[0] = 7


def forget_gate(net: Network, wiring: Wiring) -> None:
    net.table[net.table == 4] = 0


def set_wiring(name: str, literals: list[int]) -> Callable[[Network, Wiring], None]:
    def change(net: Network, wiring: Wiring) -> None:
        setattr(wiring, name, np.array(literals, np.int32))

    return change


def set_loops(*loops: tuple[list[int], list[int]]) -> Callable[[Network, Wiring], None]:
    def change(net: Network, wiring: Wiring) -> None:
        wiring.loops = [Loop(np.array(i, np.int32), np.array(r, np.int32)) for i, r in loops]

    return change


BROKEN_NETWORKS = {
    'kind': (set_node(4, KIND, 9), 'network: node 4 has the unknown kind 9'),
    'constant': (set_node(0, KIND, AND), 'network: node 0 must be the constant'),
    'negative child': (set_node(4, LEFT, -3), 'node 4 has the child -3'),
    'order': (set_node(4, RIGHT, 5), 'node 4 comes before its child 5'),
    'itself': (set_node(4, RIGHT, 4), 'node 4 comes before its child 4'),
    'folding': (set_node(4, LEFT, 0), 'node 4 has the constant as a child'),
    'same children': (set_node(4, LEFT, 2), 'node 4 has node 2 as both children'),
    'sorting': (swap_children, 'node 4 has children 2 and 1 out of order'),
    'repetition': (repeat_gate, 'node 6 repeats node 4'),
    'hash table': (forget_gate, 'node 4 is 0 times in the hash table'),
    'literals': (set_wiring('legal', [2, 99]), 'legal 1 is literal 99 of 6 nodes'),
    'terminal': (
        lambda net, wiring: setattr(wiring, 'terminal', -1),
        'terminal 0 is literal -1 of 6 nodes',
    ),
    'facts': (set_wiring('facts', [2, 8]), 'facts 1 is literal 8, not an input'),
    'inverted fact': (set_wiring('facts', [2, 5]), 'facts 1 is the inverted literal 5'),
    'shared input': (set_wiring('facts', [2, 6]), 'loop 0, feedback shares literal 6 with facts'),
    'loop lengths': (set_loops(([6], [])), 'loop 0 has 1 inputs and 0 results'),
    'loop input': (set_loops(([10], [8])), 'loop 0, feedback 0 is literal 10, not an input'),
    'loop result': (set_loops(([6], [77])), 'loop 0, feedback 0 is literal 77 of 6 nodes'),
    'two loops': (set_loops(([6], [8]), ([6], [8])), 'loop 1, feedback shares literal 6'),
}


@pytest.mark.parametrize(('change', 'text'), BROKEN_NETWORKS.values(), ids=BROKEN_NETWORKS)
def test_broken_networks(change: Callable[[Network, Wiring], object], text: str) -> None:
    net, wiring = small_network()
    verifier.verify_network(net, wiring)
    change(net, wiring)
    with pytest.raises(VerifierError) as error:
        verifier.verify_network(net, wiring)
    assert text in str(error.value)


# ---- tapes

# Slots: constants 0 and 1, inputs 2 and 3, fed back 4; then values.
OPERATIONS = [
    # (kind, target, left, right)
    [0, 5, 2, 3],
    [1, 6, 4, 5],
    [1, 7, 6, 2],
    [3, 8, 1, 7],
]
RUNS = [[0, 0, 1, 0], [1, 1, 3, 1], [3, 3, 4, 0]]


def small_tape() -> Tape:
    return Tape(
        np.array(OPERATIONS, np.int32),
        np.array(RUNS, np.int32),
        np.array([[1, 4, 7]], np.int32),
        9,
        2,
        (np.array([8, 1], np.int32), np.array([2], np.int32)),
    )


BROKEN_TAPES = {
    'kind': ('operations', (0, 0), INPUT, 'tape: operation 0 has the unknown kind 4'),
    'slot': ('operations', (1, READ), 9, 'operation 1 has slot 9 of 9'),
    'negative slot': ('operations', (1, TARGET), -1, 'operation 1 has slot -1 of 9'),
    'constant': ('operations', (0, TARGET), 1, 'operation 0 writes slot 1, which is a constant'),
    'input': ('operations', (0, TARGET), 3, 'operation 0 writes slot 3, which is a constant'),
    'fed back': ('operations', (0, TARGET), 4, 'operation 0 writes slot 4, which a cycle feeds'),
    'too early': ('operations', (0, READ), 5, 'operation 0 reads slot 5 before it is written'),
    'before its cycle': ('operations', (0, READ), 4, 'operation 0 reads slot 4 before it is'),
    'run kind': ('runs', (1, RUN_KIND), 2, 'operation 1 is of kind 1 in a run of kind 2'),
    'gap': ('runs', (1, FIRST), 2, 'run 1 begins at operation 2, not at 1'),
    'empty': ('runs', (2, END), 3, 'run 2 is empty'),
    'unknown cycle': ('runs', (0, LOOP), 2, 'cycle 2 feeds nothing back'),
    'never run': ('feedback', (0, FED_LOOP), 3, 'cycle 1 feeds nothing back'),
    'feedback slot': ('feedback', (0, FED_RESULT), 9, 'feedback 0 has slot 9 of 9'),
    'feedback input': ('feedback', (0, FED_INPUT), 3, 'feedback 0 goes to slot 3, which is not'),
    'feedback too early': ('feedback', (0, FED_RESULT), 8, 'feedback 0 takes slot 8 too early'),
}


@pytest.mark.parametrize(
    ('name', 'place', 'value', 'text'), BROKEN_TAPES.values(), ids=BROKEN_TAPES
)
def test_broken_tapes(name: str, place: tuple[int, int], value: int, text: str) -> None:
    tape = small_tape()
    verifier.verify_tape(tape)
    getattr(tape, name)[place] = value
    with pytest.raises(VerifierError) as error:
        verifier.verify_tape(tape)
    assert text in str(error.value)


@pytest.mark.parametrize(
    ('changes', 'text'),
    [
        ({'runs': np.array(RUNS[:2], np.int32)}, 'run 1 is not followed by all operations'),
        ({'slots': 8}, 'operation 3 has slot 8 of 8'),
        ({'outputs': (np.array([9], np.int32),)}, 'output group 0, place 0 has slot 9 of 9'),
        (
            {'slots': 10, 'outputs': (np.array([2, 9], np.int32),)},
            'output group 0, place 1 is slot 9, which is never written',
        ),
        (
            {'feedback': np.array([[1, 4, 7], [1, 4, 6]], np.int32)},
            'feedback 1 goes to slot 4, as another does',
        ),
        (
            {'slots': 10, 'feedback': np.array([[1, 4, 7], [2, 9, 7]], np.int32)},
            'cycle 2 is never run',
        ),
        (
            {
                'operations': np.array([*OPERATIONS[:2], [1, 5, 6, 2], [3, 8, 1, 5]], np.int32),
                'feedback': np.array([[1, 4, 5]], np.int32),
            },
            'operation 1 reads slot 5, which cycle 1 overwrites before its next pass',
        ),
        (
            {'runs': np.array([[0, 0, 1, 1], [1, 1, 3, 0], [3, 3, 4, 1]], np.int32)},
            'run 2 is cut off from the rest of cycle 1',
        ),
    ],
)
def test_other_broken_tapes(changes: dict[str, object], text: str) -> None:
    with pytest.raises(VerifierError) as error:
        verifier.verify_tape(replace(small_tape(), **changes))  # type: ignore[arg-type]
    assert text in str(error.value)


@pytest.mark.parametrize('seed', range(12))
def test_tapes_of_random_networks_pass(seed: int) -> None:
    verifier.verify_tape(random_tape(seed))


# ---- machine code

GATES = [[0xC0, 2, 3, -1, 0], [0xFC, 4, 2, -1, 1]]


@pytest.mark.parametrize(
    ('gates', 'fed', 'outputs', 'text'),
    [
        ([[256, 2, 3, -1, 0]], [4], [4], 'machine code: gate 0 has the truth table 256'),
        ([[0, -1, 3, -1, 0]], [4], [4], 'gate 0 has the operand -1'),
        ([[0, 2, 4, -1, 0]], [4], [4], 'gate 0 comes before its operand 4'),
        ([[0, 2, 3, -1, 2]], [4], [4], 'gate 0 is in section 2'),
        ([GATES[1], GATES[0]], [5], [4], 'gate 0 comes before its operand 4'),
        ([[0, 2, 3, -1, 1], GATES[0]], [4], [4], 'gate 1 goes back to section 0'),
        (GATES, [6], [4], 'feedback 0 is the value 6, which does not exist'),
        (GATES, [5], [4, -1], 'output 1 is the value -1, which does not exist'),
    ],
)
def test_broken_machine_gates(
    gates: list[list[int]], fed: list[int], outputs: list[int], text: str
) -> None:
    cycles = np.array([0, 1], np.int32)

    def verify(gates: list[list[int]], fed: list[int], outputs: list[int]) -> None:
        feedback = np.array([[1, value] for value in fed], np.int32)
        rows = np.array(gates, np.int32)
        verifier.verify_machine_gates(rows, 4, cycles, feedback, np.array(outputs, np.int32))

    verify(GATES, [5], [4, 5])
    with pytest.raises(VerifierError) as error:
        verify(gates, fed, outputs)
    assert text in str(error.value)
