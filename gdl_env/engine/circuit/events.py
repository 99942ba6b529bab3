"""One state at a time: only gates whose inputs changed are computed again.

A move changes a few facts of a large state, so most gates keep their value. Gates are numbered so
that inputs come first; a set of bits holds those to be looked at, and is worked off in order.
"""

from __future__ import annotations

from dataclasses import dataclass

from numba import njit
import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit.build import Circuit
from gdl_env.engine.circuit.logic import AND, INPUT, OR, XOR
from gdl_env.engine.circuit.schedule import needed_nodes
from gdl_env.engine.grounding.errors import GroundingError


@dataclass(frozen=True)
class EventNet:
    """A network with the users of each gate; literals are 2 · node, plus 1 where inverted.

    Inputs come first: facts, then moves. Node 0 is constant false.
    """

    gates: NDArray[np.int32]
    user_start: NDArray[np.int32]
    users: NDArray[np.int32]
    facts: int
    moves: int
    terminal: int
    legal: NDArray[np.int32]
    next: NDArray[np.int32]


def make_event_net(circuit: Circuit) -> EventNet:
    """Prepare a network for single states. Raises GroundingError for one with cycles."""
    net, wiring = circuit.wire()
    if wiring.loops:
        raise GroundingError('the rules have a cycle on the ground')
    gates = net[0][: int(net[2][0])]
    outputs = np.concatenate([[wiring.terminal], wiring.legal, wiring.next]).astype(np.int32)
    nothing = np.zeros(len(gates), np.bool_)
    needed = needed_nodes(gates, np.unique(outputs >> 1), nothing)
    order = np.flatnonzero(needed)
    inputs = np.concatenate([wiring.facts, wiring.does])
    number = np.full(len(gates), -1, np.int64)
    number[0] = 0
    for place, literal in enumerate(inputs):
        if literal > 1:
            number[literal >> 1] = 1 + place
    number[order] = 1 + len(inputs) + np.arange(len(order))
    kept = np.full((1 + len(inputs) + len(order), 3), INPUT, np.int32)
    kept[1 + len(inputs) :, 0] = gates[order, 0]
    kept[1 + len(inputs) :, 1:] = number[gates[order, 1:]]
    start, users = _users(kept)

    def renumber(literals: NDArray[np.int32]) -> NDArray[np.int32]:
        result: NDArray[np.int64] = 2 * number[literals >> 1] + (literals & 1)
        return result.astype(np.int32)

    ends = renumber(np.array([wiring.terminal], np.int32))
    legal, after = renumber(wiring.legal), renumber(wiring.next)
    facts, moves = len(wiring.facts), len(wiring.does)
    return EventNet(kept, start, users, facts, moves, int(ends[0]), legal, after)


def _users(gates: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    rows = np.flatnonzero(gates[:, 0] != INPUT)
    children = gates[rows, 1:].ravel()
    parents = np.repeat(rows, 2)
    order = np.argsort(children, kind='stable')
    start = np.searchsorted(children[order], np.arange(len(gates) + 1))
    return start.astype(np.int32), parents[order].astype(np.int32)


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


@njit(cache=True, nogil=True)
def flip(node, values, start, users, dirty, trail, count):
    """Change an input; remember that, and mark what may change with it."""
    values[node] ^= np.uint8(1)
    trail[count] = node
    for i in range(start[node], start[node + 1]):
        user = users[i]
        dirty[user >> 6] |= np.uint64(1) << np.uint64(user & 63)
    return count + 1


@njit(cache=True, nogil=True)
def propagate(gates, values, start, users, dirty, trail, count):
    """Compute what is marked, in order; return the new length of the trail of changes."""
    for word in range(dirty.shape[0]):
        while dirty[word]:
            bits = dirty[word]
            low = bits & (~bits + np.uint64(1))
            dirty[word] = bits ^ low
            node = 64 * word + _PLACE[(low * _DE_BRUIJN) >> np.uint64(58)]
            value = _gate(gates, values, node)
            if value != values[node]:
                values[node] = value
                trail[count] = node
                count += 1
                for i in range(start[node], start[node + 1]):
                    user = users[i]
                    dirty[user >> 6] |= np.uint64(1) << np.uint64(user & 63)
    return count


@njit(cache=True, nogil=True)
def do(gates, values, start, users, dirty, trail, count, facts, after, moves):
    """Play moves (rows of the move table); return the new length of the trail."""
    for move in moves:
        count = flip(1 + facts + move, values, start, users, dirty, trail, count)
    count = propagate(gates, values, start, users, dirty, trail, count)
    for fact in range(facts):
        literal = after[fact]
        new = values[literal >> 1] ^ np.uint8(literal & 1)
        if new != values[1 + fact]:
            # The facts change at once: they are marked here and flipped below.
            trail[count] = 1 + fact
            count += 1
    first = count
    while first > 0 and 0 < trail[first - 1] <= facts:
        first -= 1
    for i in range(first, count):
        node = trail[i]
        values[node] ^= np.uint8(1)
        for k in range(start[node], start[node + 1]):
            dirty[users[k] >> 6] |= np.uint64(1) << np.uint64(users[k] & 63)
    for move in moves:
        count = flip(1 + facts + move, values, start, users, dirty, trail, count)
    return propagate(gates, values, start, users, dirty, trail, count)


@njit(cache=True, nogil=True)
def undo(values, trail, count, target):
    """Take changes back until the trail has its former length."""
    while count > target:
        count -= 1
        values[trail[count]] ^= np.uint8(1)
    return count


# Multiplying a single bit by this number shifts a different pattern of six bits to the top.
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_PLACE = np.zeros(64, np.int64)
_PLACE[[((1 << k) * 0x03F79D71B4CB0A89 & (2**64 - 1)) >> 58 for k in range(64)]] = range(64)
