"""Games in which the turn goes round: facts of which exactly one holds at any time.

`control x` and `control o` take turns: what is `next` of one is what is `true` of the other. Moves
that can be legal only with one of them and moves that can be legal only with the other are never
legal together, so one circuit can choose among both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.circuit.network.build import Circuit
from gdl_env.engine.circuit.network.logic import (
    ANDNOT,
    INPUT,
    KIND,
    LEFT,
    OR,
    RIGHT,
    XOR,
    Literals,
    Network,
)
from gdl_env.engine.contract import Role


def find_phases(circuit: Circuit) -> list[int]:
    """Return the rows of facts that hold in turn, exactly one at a time, if there are such.

    Proof: one of them holds at first, and each is next where its predecessor in a cycle is true.
    """
    _, wiring = circuit.wire()
    row_of = {int(literal): row for row, literal in enumerate(wiring.facts) if literal > 1}
    before = {
        row: row_of[int(literal)]
        for row, literal in enumerate(wiring.next)
        if int(literal) in row_of
    }
    initial = circuit.vocabulary.initial
    for start in sorted(before):
        cycle = [start]
        while (row := before.get(cycle[-1], start)) not in cycle:
            cycle.append(row)
        is_cycle = before.get(cycle[-1]) == start
        if is_cycle and len(cycle) > 1 and sum(initial[row] for row in cycle) == 1:
            return cycle
    return []


@compile_kernel()
def _values_in_phase(gates, phase_nodes, phase):
    """Return the value of each node in a phase as far as that decides it, else 2."""
    values = np.full(gates.shape[0], 2, np.uint8)
    values[0] = 0
    for node in phase_nodes:
        values[node] = node == phase
    for node in range(gates.shape[0]):
        kind = gates[node, KIND]
        if kind == INPUT:
            continue
        a, b = values[gates[node, LEFT]], values[gates[node, RIGHT]]
        if kind == ANDNOT and b < 2:
            b = 1 - b
        if kind == OR:
            values[node] = 1 if a == 1 or b == 1 else max(a, b)
        elif kind == XOR:
            values[node] = 2 if a == 2 or b == 2 else a ^ b
        else:
            values[node] = 0 if a == 0 or b == 0 else max(a, b)
    return values


@dataclass(frozen=True)
class Choices:
    """Choices that roles share: each slot is one choice in every phase, of one role or another."""

    # From a phase to the rows of legal moves among which one is chosen in it.
    slots: list[dict[int, list[int]]]
    # Moves without an alternative in a phase (row, phase): who can make them makes them.
    forced: list[tuple[int, int]]
    # Rows of moves that can be legal in several phases.
    several: frozenset[int]


def share_choices(
    net: Network,
    phase_nodes: list[int],
    legal: Literals,
    by_role: dict[Role, list[int]],
) -> Choices | None:
    """Plan choices that roles share, or return None where that would not save anything.

    A move that is never legal in all phases but one needs no look at the phase: if it is legal,
    it is that one.
    """
    phases = np.array(phase_nodes, np.int64)
    can_be = {}
    for phase in phase_nodes:
        values = _values_in_phase(net.nodes, phases, phase)[legal >> 1]
        can_be[phase] = (values == 2) | (values != (legal & 1))
    slots: list[dict[int, list[int]]] = []
    forced: list[tuple[int, int]] = []
    for phase in phase_nodes:
        number = 0
        for rows in by_role.values():
            mine = [row for row in rows if can_be[phase][row]]
            if len(mine) == 1:
                forced.append((mine[0], phase))
            elif mine:
                if number == len(slots):
                    slots.append({})
                slots[number][phase] = mine
                number += 1
    if sum(max(map(len, slot.values())) for slot in slots) >= sum(map(len, by_role.values())):
        return None
    often = sum(table.astype(np.int64) for table in can_be.values())
    return Choices(slots, forced, frozenset(int(row) for row in np.flatnonzero(often > 1)))
