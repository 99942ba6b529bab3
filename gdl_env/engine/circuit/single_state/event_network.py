"""Network → event network: what some outputs need, numbered again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit.network.build import Loop
from gdl_env.engine.circuit.network.logic import AND, INPUT, KIND, LEFT, OR, RIGHT, XOR, Literals
from gdl_env.engine.circuit.single_state import columns
from gdl_env.engine.circuit.single_state.events import FRAME, settle
from gdl_env.engine.circuit.tape.schedule import needed_nodes

# What a gate gives for the inputs 00, 10, 01, 11, as bits from the lowest; by operation.
TRUTH_TABLES = np.array([0b1000, 0b1110, 0b0110, 0b0010, 0], np.int32)
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

    # int32, shape (nodes, 4): TRUTH, LEFT, RIGHT, FALLS.
    gates: NDArray[np.int32]
    # int32, shape (nodes + 1): the uses of node n are uses[use_start[n]:use_start[n + 1]].
    use_start: NDArray[np.int32]
    # int32, shape (uses, 2): USER, OTHER.
    uses: NDArray[np.int32]
    # int32, shape (cycles, 4): FIRST_WORD, END_WORD, FIRST_FED, END_FED, in the order of words.
    loops: NDArray[np.int32]
    # int32, shape (what cycles feed back, 2): FED_NODE, FED_LITERAL.
    feedback: NDArray[np.int32]
    # How many inputs there are.
    inputs: int
    # int32, shape (outputs): literals.
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
    rows = np.flatnonzero(gates[:, KIND] != INPUT)
    kinds = gates[rows, KIND]
    left, right = gates[rows, LEFT], gates[rows, RIGHT]
    parts = [
        np.stack([left, rows, 4 * right + _RIGHT_DECIDES[kinds]], axis=1),
        np.stack([right, rows, 4 * left + _LEFT_DECIDES[kinds]], axis=1),
    ]
    table = np.concatenate(parts)
    used, uses = table[:, 0], table[:, 1:]
    order = np.argsort(used, kind='stable')
    start = np.searchsorted(used[order], np.arange(len(gates) + 1))
    return start.astype(np.int32), np.ascontiguousarray(uses[order]).astype(np.int32)


def make_event_net(
    gates: NDArray[np.int32], inputs: Literals, outputs: Literals, loops: list[Loop]
) -> tuple[EventNet, NDArray[np.int64]]:
    """Make the event network of some outputs; also return the new number of each node."""
    used, needed = _needed(gates, outputs >> 1, loops)
    number = np.zeros(len(gates), np.int64)
    for place, literal in enumerate(inputs):
        if literal > 1:
            number[literal >> 1] = columns.FIRST_INPUT_NODE + place
    nodes = np.flatnonzero(needed)
    sections = [_section(loop) for loop in used]
    words: list[tuple[int, int]] = []
    size, position = columns.FIRST_INPUT_NODE + len(inputs), 0
    for first, end in sections:
        size = _number(number, nodes, position, first, size)
        # Sections begin and end with words: so they can be worked off apart.
        begin = -(-size // 64)
        size = _number(number, nodes, first, end, 64 * begin)
        words_end = -(-size // 64)
        words.append((begin, words_end))
        size, position = 64 * words_end, end
    size = _number(number, nodes, position, len(gates), size)
    rows = np.full((size, 4), INPUT, np.int32)
    rows[:, columns.LEFT :] = 0
    is_gate = nodes[gates[nodes, KIND] != INPUT]
    # Kinds, until all is known that depends on them.
    rows[number[is_gate], columns.TRUTH] = gates[is_gate, KIND]
    rows[number[is_gate], columns.LEFT : columns.FALLS] = number[gates[is_gate, LEFT:]]
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
        first, end = section
        inside = first + np.flatnonzero(needed[first:end])
        rows[number[inside], columns.FALLS] = _directions(gates, loop, section)[inside - first]
    rows[:, columns.TRUTH] = TRUTH_TABLES[rows[:, columns.TRUTH]]
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
        touched[gates[needed][:, LEFT:].ravel()] = True
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
        kind = gates[node, KIND]
        if kind == INPUT:
            continue
        left, right = (ways[n - first] if n >= first else np.uint8(0) for n in gates[node, LEFT:])
        if kind in (AND, OR):
            ways[node - first] = left | right
        elif kind == XOR:
            ways[node - first] = _EITHER[left | right]
        else:
            ways[node - first] = left | _INVERTED[right]
    return ways
