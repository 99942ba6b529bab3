"""One state at a time: only gates whose inputs changed are computed again.

A move changes a few facts of a large state, so most gates keep their value. Gates are numbered so
that inputs come first; a set of bits holds those to be looked at, and is worked off in order.
"""

from __future__ import annotations

from dataclasses import dataclass

from numba import njit
import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit.bits import lowest_bit
from gdl_env.engine.circuit.build import Circuit
from gdl_env.engine.circuit.logic import AND, INPUT, OR, XOR
from gdl_env.engine.circuit.schedule import needed_nodes
from gdl_env.engine.grounding.errors import GroundingError


@dataclass(frozen=True)
class EventNet:
    """A network with the users of each gate; literals are 2 · node, plus 1 where inverted.

    Inputs come first: facts, then moves. Node 0 is constant false. A use is a row (user, other
    input of the user, value of it that decides the user alone, 2 for none).
    """

    gates: NDArray[np.int32]
    use_start: NDArray[np.int32]
    uses: NDArray[np.int32]
    facts: int
    moves: int
    terminal: int
    next: NDArray[np.int32]
    # Legal moves are computed when they are asked for: rows (operation, left, right, inverted).
    legal: NDArray[np.int32]


def make_event_net(circuit: Circuit) -> EventNet:
    """Prepare a network for single states. Raises GroundingError for one with cycles."""
    net, wiring = circuit.wire()
    if wiring.loops:
        raise GroundingError('the rules have a cycle on the ground')
    gates = net[0][: int(net[2][0])]
    legal = wiring.legal >> 1
    is_gate = gates[legal, 0] != INPUT
    # Turning over the turn changes every legal move, but few of them are looked at: what is
    # needed of them is what they are computed from.
    below = gates[legal[is_gate], 1:].ravel()
    outputs = np.concatenate([[wiring.terminal], wiring.next]).astype(np.int32) >> 1
    wanted = np.unique(np.concatenate([outputs, below, legal[~is_gate]]))
    needed = needed_nodes(gates, wanted, np.zeros(len(gates), np.bool_))
    order = np.flatnonzero(needed)
    inputs = np.concatenate([wiring.facts, wiring.does])
    number = np.zeros(len(gates), np.int64)
    for place, literal in enumerate(inputs):
        if literal > 1:
            number[literal >> 1] = 1 + place
    number[order] = 1 + len(inputs) + np.arange(len(order))
    kept = np.full((1 + len(inputs) + len(order), 3), INPUT, np.int32)
    kept[1 + len(inputs) :, 0] = gates[order, 0]
    kept[1 + len(inputs) :, 1:] = number[gates[order, 1:]]
    start, uses = _uses(kept)
    asked = np.stack(
        [
            np.where(is_gate, gates[legal, 0], OR),
            number[np.where(is_gate, gates[legal, 1], legal)],
            number[np.where(is_gate, gates[legal, 2], legal)],
            wiring.legal & 1,
        ],
        axis=1,
    )
    literals = np.concatenate([[wiring.terminal], wiring.next])
    renumbered = (2 * number[literals >> 1] + (literals & 1)).astype(np.int32)
    return EventNet(
        kept,
        start,
        uses,
        len(wiring.facts),
        len(wiring.does),
        int(renumbered[0]),
        renumbered[1:],
        asked.astype(np.int32),
    )


def _uses(gates: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return for each node the rows of its uses."""
    rows = np.flatnonzero(gates[:, 0] != INPUT)
    kinds = gates[rows, 0]
    # By the left input; by the right input. An input of this value decides the gate.
    decided_by_right = np.choose(kinds, [0, 1, 2, 1])
    decided_by_left = np.choose(kinds, [0, 1, 2, 0])
    parts = [
        np.stack([gates[rows, 1], rows, gates[rows, 2], decided_by_right], axis=1),
        np.stack([gates[rows, 2], rows, gates[rows, 1], decided_by_left], axis=1),
    ]
    table = np.concatenate(parts)
    table = table[np.argsort(table[:, 0], kind='stable')]
    start = np.searchsorted(table[:, 0], np.arange(len(gates) + 1))
    return start.astype(np.int32), np.ascontiguousarray(table[:, 1:]).astype(np.int32)


def make_values(net: EventNet) -> NDArray[np.uint8]:
    """Return the values of all gates when no fact holds and no move is made."""
    values = np.zeros(len(net.gates), np.uint8)
    _settle(net.gates, values)
    return values


@njit(cache=True, nogil=True)
def _settle(gates, values):
    for node in range(gates.shape[0]):
        if gates[node, 0] != INPUT:
            values[node] = _gate(gates, values, node)


@njit(cache=True, nogil=True, inline='always')
def _gate(gates, values, node):
    kind = gates[node, 0]
    a, b = values[gates[node, 1]], values[gates[node, 2]]
    if kind == AND:
        return a & b
    if kind == OR:
        return a | b
    if kind == XOR:
        return a ^ b
    return a & (b ^ np.uint8(1))


@njit(cache=True, nogil=True, inline='always')
def _mark(node, values, start, uses, dirty):
    """Mark the users of a node whose other input leaves the decision to it.

    If that other input changes later on, it marks them itself.
    """
    for i in range(start[node], start[node + 1]):
        if values[uses[i, 1]] != uses[i, 2]:
            user = uses[i, 0]
            dirty[user >> 6] |= np.uint64(1) << np.uint64(user & 63)


@njit(cache=True, nogil=True)
def flip(node, values, start, uses, dirty, trail, count):
    """Change an input; remember that, and mark what may change with it."""
    values[node] ^= np.uint8(1)
    trail[count] = node
    _mark(node, values, start, uses, dirty)
    return count + 1


@njit(cache=True, nogil=True)
def propagate(gates, values, start, uses, dirty, trail, count):
    """Compute what is marked, in order; return the new length of the trail of changes."""
    for word in range(dirty.shape[0]):
        while dirty[word]:
            bits = dirty[word]
            dirty[word] = bits & (bits - np.uint64(1))
            node = 64 * word + lowest_bit(bits)
            value = _gate(gates, values, node)
            if value != values[node]:
                values[node] = value
                trail[count] = node
                count += 1
                _mark(node, values, start, uses, dirty)
    return count


@njit(cache=True, nogil=True)
def do(gates, values, start, uses, dirty, trail, count, facts, after, moves):
    """Play moves (rows of the move table); return the new length of the trail."""
    for move in moves:
        count = flip(1 + facts + move, values, start, uses, dirty, trail, count)
    count = propagate(gates, values, start, uses, dirty, trail, count)
    # First all facts that change are found. Then one is flipped after the other: where two inputs
    # of a gate change, the first finds the second as it was, and marks the gate.
    first = count
    for fact in range(facts):
        literal = after[fact]
        if values[literal >> 1] ^ np.uint8(literal & 1) != values[1 + fact]:
            trail[count] = 1 + fact
            count += 1
    for i in range(first, count):
        values[trail[i]] ^= np.uint8(1)
        _mark(trail[i], values, start, uses, dirty)
    for move in moves:
        count = flip(1 + facts + move, values, start, uses, dirty, trail, count)
    return propagate(gates, values, start, uses, dirty, trail, count)


@njit(cache=True, nogil=True)
def legal_rows(legal, values):
    """Return the rows of moves that are legal."""
    found = np.empty(legal.shape[0], np.int64)
    count = 0
    for row in range(legal.shape[0]):
        kind = legal[row, 0]
        a, b = values[legal[row, 1]], values[legal[row, 2]]
        if kind == AND:
            value = a & b
        elif kind == OR:
            value = a | b
        elif kind == XOR:
            value = a ^ b
        else:
            value = a & (b ^ np.uint8(1))
        if value != legal[row, 3]:
            found[count] = row
            count += 1
    return found[:count].copy()


@njit(cache=True, nogil=True)
def undo(values, trail, count, target):
    """Take changes back until the trail has its former length."""
    while count > target:
        count -= 1
        values[trail[count]] ^= np.uint8(1)
    return count
