"""Network → event network: what some outputs need, numbered anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit.build import Loop
from gdl_env.engine.circuit.events import FRAME, settle
from gdl_env.engine.circuit.logic import AND, INPUT, OR, XOR, Literals
from gdl_env.engine.circuit.schedule import needed_nodes

# What a gate gives for the inputs 00, 10, 01, 11, as bits from the lowest; by operation.
TRUTH = np.array([0b1000, 0b1110, 0b0110, 0b0010, 0], np.int32)
# The value of the left (right) input that decides a gate alone, 2 for none; by operation.
_LEFT_DECIDES = np.array([0, 1, 2, 0, 2], np.int32)
_RIGHT_DECIDES = np.array([0, 1, 2, 1, 2], np.int32)

# How a node depends on the inputs of its cycle, as the values by which it falls: bit 0 for 0,
# bit 1 for 1. Seen through an inversion; seen through a gate that goes either way.
_RISES = 1
_INVERTED = np.array([0, 2, 1, 3], np.uint8)
_EITHER = np.array([0, 3, 3, 3], np.uint8)


@dataclass(frozen=True)
class EventNet:
    """A network with the users of each gate; literals are 2 · node, plus 1 where inverted.

    Node 0 is constant false; the inputs follow.
    """

    # Rows (truth table, left, right, values by which a node of a cycle falls).
    gates: NDArray[np.int32]
    # A use is a row (user, 4 · other input of the user + value of it that decides the user).
    use_start: NDArray[np.int32]
    uses: NDArray[np.int32]
    # Rows (first word of nodes, end, first row of feedback, end), in the order of words.
    loops: NDArray[np.int32]
    # Rows (input node, literal that it becomes).
    feedback: NDArray[np.int32]
    inputs: int
    outputs: NDArray[np.int32]

    @property
    def most_changes(self) -> int:
        """Return how long the trail gets at most by one step."""
        return 6 * len(self.gates) + 16


class Values:
    """The values of a network, and the trail of their changes."""

    def __init__(self, net: EventNet, spare: int = 0) -> None:
        """Compute the values where no input is true; leave room for more."""
        self.net = net
        self.values = np.zeros(len(net.gates) + spare, np.uint8)
        self.dirty = np.zeros(len(net.gates) // 64 + 1, np.uint64)
        self.trail = np.empty(net.most_changes, np.int32)
        self.frame = np.zeros(FRAME, np.int64)
        self._fill()
        settle(self.address)

    def copy(self) -> Values:
        """Return the same values with an empty trail."""
        copy = object.__new__(Values)
        copy.net = self.net
        copy.values, copy.dirty = self.values.copy(), self.dirty.copy()
        copy.trail = np.empty(self.net.most_changes, np.int32)
        copy.frame = np.zeros(FRAME, np.int64)
        copy._fill()
        return copy

    def reserve(self, count: int) -> None:
        """Make room on the trail for one step after so many changes."""
        wanted = count + self.net.most_changes
        if wanted > len(self.trail):
            grown = np.empty(2 * wanted, np.int32)
            grown[:count] = self.trail[:count]
            self.trail = grown
            self._fill()

    def _fill(self) -> None:
        net = self.net
        fixed = (net.gates, net.use_start, net.uses, net.loops, net.feedback)
        self.address = address_of(self.frame)
        self.frame[:] = [
            *(address_of(array) for array in fixed),
            *(address_of(array) for array in (self.values, self.dirty, self.trail)),
            len(net.loops),
            len(self.dirty),
            len(net.gates),
        ]


def address_of(array: NDArray[Any]) -> int:
    """Return where the numbers of an array lie."""
    assert array.flags.c_contiguous
    return int(array.ctypes.data)


def uses_of(gates: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return for rows (operation, left, right) the first use of each node, and the uses."""
    rows = np.flatnonzero(gates[:, 0] != INPUT)
    kinds = gates[rows, 0]
    left, right = gates[rows, 1], gates[rows, 2]
    parts = [
        np.stack([left, rows, 4 * right + _RIGHT_DECIDES[kinds]], axis=1),
        np.stack([right, rows, 4 * left + _LEFT_DECIDES[kinds]], axis=1),
    ]
    table = np.concatenate(parts)
    table = table[np.argsort(table[:, 0], kind='stable')]
    start = np.searchsorted(table[:, 0], np.arange(len(gates) + 1))
    return start.astype(np.int32), np.ascontiguousarray(table[:, 1:]).astype(np.int32)


def make_event_net(
    gates: NDArray[np.int32], inputs: Literals, outputs: Literals, loops: list[Loop]
) -> tuple[EventNet, NDArray[np.int64]]:
    """Make the event network of some outputs; also return the new number of each node."""
    used, needed = _needed(gates, outputs >> 1, loops)
    number = np.zeros(len(gates), np.int64)
    for place, literal in enumerate(inputs):
        if literal > 1:
            number[literal >> 1] = 1 + place
    nodes = np.flatnonzero(needed)
    sections = [_section(loop) for loop in used]
    words: list[tuple[int, int]] = []
    size, position = 1 + len(inputs), 0
    for first, end in sections:
        size = _number(number, nodes, position, first, size)
        # Sections begin and end with words: so they can be worked off apart.
        begin = -(-size // 64)
        size = _number(number, nodes, first, end, 64 * begin)
        words.append((begin, -(-size // 64)))
        size, position = 64 * words[-1][1], end
    size = _number(number, nodes, position, len(gates), size)
    rows = np.full((size, 4), INPUT, np.int32)
    rows[:, 1:] = 0
    is_gate = nodes[gates[nodes, 0] != INPUT]
    rows[number[is_gate], 0] = gates[is_gate, 0]
    rows[number[is_gate], 1:3] = number[gates[is_gate, 1:]]
    start, uses = uses_of(rows)
    feedback: list[tuple[int, int]] = []
    table: list[tuple[int, int, int, int]] = []
    for index, (loop, section) in enumerate(zip(used, sections, strict=True)):
        low = len(feedback)
        feedback += [
            (int(number[i >> 1]), int(2 * number[r >> 1] + (r & 1)))
            for i, r in zip(loop.inputs, loop.results, strict=True)
        ]
        table.append((*words[index], low, len(feedback)))
        inside = section[0] + np.flatnonzero(needed[section[0] : section[1]])
        rows[number[inside], 3] = _directions(gates, loop, section)[inside - section[0]]
    rows[:, 0] = TRUTH[rows[:, 0]]
    net = EventNet(
        rows,
        start,
        uses,
        np.array(table, np.int32).reshape(-1, 4),
        np.array(feedback, np.int32).reshape(-1, 2),
        len(inputs),
        (2 * number[outputs >> 1] + (outputs & 1)).astype(np.int32),
    )
    return net, number


def _needed(
    gates: NDArray[np.int32], wanted: NDArray[np.int32], loops: list[Loop]
) -> tuple[list[Loop], NDArray[np.bool_]]:
    """Return the loops that matter, and the gates and feedback inputs that do."""
    nothing = np.zeros(len(gates), np.bool_)
    used: list[Loop] = []
    while True:
        needed = needed_nodes(gates, np.unique(wanted), nothing)
        touched = np.zeros(len(gates), np.bool_)
        touched[gates[needed][:, 1:].ravel()] = True
        touched[wanted] = True
        found = [loop for loop in loops if touched[loop.inputs >> 1].any()]
        if len(found) == len(used):
            for loop in used:
                needed[loop.inputs >> 1] = True
            return used, needed
        used = found
        wanted = np.concatenate([wanted, *(loop.results >> 1 for loop in used)])


def _number(
    number: NDArray[np.int64], nodes: NDArray[np.intp], first: int, end: int, size: int
) -> int:
    """Give numbers to the nodes of a section; return the next free one."""
    kept = nodes[(nodes >= first) & (nodes < end)]
    number[kept] = size + np.arange(len(kept))
    return size + len(kept)


def _section(loop: Loop) -> tuple[int, int]:
    """Return the first node of a cycle and the end of it.

    Inputs of a cycle and then its gates are made one after the other; gates outside of it that
    use them are made later.
    """
    first = int((loop.inputs >> 1).min())
    return first, max(int((loop.results >> 1).max()), int((loop.inputs >> 1).max())) + 1


def _directions(
    gates: NDArray[np.int32], loop: Loop, section: tuple[int, int]
) -> NDArray[np.uint8]:
    """Return for each node of a section by which values it falls."""
    first, end = section
    ways = np.zeros(end - first, np.uint8)
    ways[(loop.inputs >> 1) - first] = _RISES
    for node in range(first, end):
        kind = gates[node, 0]
        if kind == INPUT:
            continue
        left, right = (ways[n - first] if n >= first else np.uint8(0) for n in gates[node, 1:])
        if kind in (AND, OR):
            ways[node - first] = left | right
        elif kind == XOR:
            ways[node - first] = _EITHER[left | right]
        else:
            ways[node - first] = left | _INVERTED[right]
    return ways
