"""Games in which the turn goes round: facts of which exactly one holds at any time.

`control x` and `control o` take turns: what is `next` of one is what is `true` of the other. Moves
that need one of them and moves that need the other are never legal together, so one circuit can
choose among both.
"""

from __future__ import annotations

from gdl_env.engine.circuit.build import Circuit
from gdl_env.engine.circuit.logic import AND, ANDNOT, Network
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


def conjuncts(net: Network, literal: int, limit: int = 64) -> frozenset[int]:
    """Return nodes that must be true for a literal to be true, as far as its AND gates show."""
    gates = net[0]
    found: set[int] = set()
    work = [] if literal & 1 else [literal >> 1]
    while work and len(found) < limit:
        node = work.pop()
        found.add(node)
        if gates[node, 0] == AND:
            work += [int(gates[node, 1]), int(gates[node, 2])]
        elif gates[node, 0] == ANDNOT:
            work.append(int(gates[node, 1]))
    return frozenset(found)


Slots = list[dict[int, list[int]]]


def share_choices(
    net: Network,
    phase_nodes: list[int],
    legal: list[int],
    by_role: dict[Role, list[int]],
) -> tuple[Slots, list[int]] | None:
    """Plan choices that roles share, or return None where moves do not tell their phase.

    A slot maps a phase to the rows of legal moves among which one is chosen in it. The second part
    are rows of moves without an alternative: who can make them makes them.
    """
    phase_of: dict[int, int] = {}
    for row, literal in enumerate(legal):
        phases = conjuncts(net, literal).intersection(phase_nodes)
        if literal == 0:
            continue
        if not phases:
            return None
        phase_of[row] = min(phases)
    slots: Slots = []
    forced: list[int] = []
    for phase in phase_nodes:
        number = 0
        for rows in by_role.values():
            mine = [row for row in rows if phase_of.get(row) == phase]
            if len(mine) == 1:
                forced += mine
            elif mine:
                if number == len(slots):
                    slots.append({})
                slots[number][phase] = mine
                number += 1
    return slots, forced
