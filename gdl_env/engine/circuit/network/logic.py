"""Hash-consed logic: AND, OR, XOR and AND-NOT gates over 64-bit words, built by compiled code.

A literal is 2 · node, plus 1 where it is inverted. Node 0 is constant: literal 0 is false, 1 true.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel

AND, OR, XOR, ANDNOT, INPUT = 0, 1, 2, 3, 4
FALSE, TRUE = 0, 1

# Columns of gates.
KIND, LEFT, RIGHT = range(3)

Literals: TypeAlias = NDArray[np.int32]


class Network(NamedTuple):
    """A network that grows: room for nodes, and an index that finds equal ones."""

    # int32, shape (capacity, 3): KIND, LEFT and RIGHT node of each node; inputs have kind INPUT
    # and no nodes. Left and right come before the node itself.
    gates: NDArray[np.int32]
    # int32, shape (a power of two): hash table of gates with open addressing, 0 where empty.
    table: NDArray[np.int32]
    # int64, shape (1): how many nodes there are.
    size: NDArray[np.int64]

    @property
    def nodes(self) -> NDArray[np.int32]:
        """Return the gates that are there, in the order in which they were made."""
        return self.gates[: int(self.size[0])]


def make_network(capacity: int) -> Network:
    """Return an empty network with room for so many nodes."""
    size = 1 << max(10, (2 * capacity).bit_length())
    gates = np.zeros((capacity, 3), np.int32)
    gates[0, KIND] = INPUT
    return Network(gates, np.zeros(size, np.int32), np.ones(1, np.int64))


@compile_kernel()
def add_input(net):
    """Add an input; return its literal."""
    node = net.size[0]
    if node >= net.gates.shape[0]:
        raise MemoryError
    net.gates[node, KIND] = INPUT
    net.size[0] = node + 1
    return np.int32(2 * node)


@compile_kernel()
def _gate(net, kind, a, b):
    gates, table = net.gates, net.table
    if kind != ANDNOT and a > b:
        a, b = b, a
    mask = np.uint64(table.shape[0] - 1)
    key = (np.uint64(a) * np.uint64(0x9E3779B97F4A7C15)) ^ (
        np.uint64(b) * np.uint64(0xC2B2AE3D27D4EB4F)
    )
    key = (key ^ (key >> np.uint64(31))) * np.uint64(0xD6E8FEB86659FD93) + np.uint64(kind)
    place = (key ^ (key >> np.uint64(29))) & mask
    while True:
        node = table[place]
        if node == 0:
            break
        if gates[node, KIND] == kind and gates[node, LEFT] == a and gates[node, RIGHT] == b:
            return np.int32(2 * node)
        place = (place + np.uint64(1)) & mask
    node = net.size[0]
    if node >= gates.shape[0]:
        raise MemoryError
    gates[node, KIND] = kind
    gates[node, LEFT] = a
    gates[node, RIGHT] = b
    table[place] = node
    net.size[0] = node + 1
    return np.int32(2 * node)


@compile_kernel()
def and2(net, x, y):
    """Return x and y."""
    if x == FALSE or y == FALSE or x == (y ^ 1):
        return np.int32(FALSE)
    if x == TRUE or x == y:  # noqa: SIM109 - compiled code
        return np.int32(y)
    if y == TRUE:
        return np.int32(x)
    a, b = x >> 1, y >> 1
    if not x & 1 and not y & 1:
        return _gate(net, AND, a, b)
    if not x & 1:
        return _gate(net, ANDNOT, a, b)
    if not y & 1:
        return _gate(net, ANDNOT, b, a)
    return np.int32(_gate(net, OR, a, b) ^ 1)


@compile_kernel()
def or2(net, x, y):
    """Return x or y."""
    return np.int32(and2(net, x ^ 1, y ^ 1) ^ 1)


@compile_kernel()
def xor2(net, x, y):
    """Return x exclusive-or y."""
    if x <= TRUE:
        return np.int32(y ^ x)
    if y <= TRUE:
        return np.int32(x ^ y)
    if x >> 1 == y >> 1:
        return np.int32((x ^ y) & 1)
    return np.int32(_gate(net, XOR, x >> 1, y >> 1) ^ ((x ^ y) & 1))


@compile_kernel()
def choose(net, condition, yes, no):
    """Return yes where the condition holds, else no."""
    return or2(net, and2(net, condition, yes), and2(net, condition ^ 1, no))


@compile_kernel()
def and_all(net, literals, count):
    """Return the conjunction of literals[:count]; the array is used up."""
    literals[:count].sort()
    kept = 0
    for i in range(count):
        x = literals[i]
        if x == FALSE:
            return np.int32(FALSE)
        if x == TRUE or (kept and literals[kept - 1] == x):
            continue
        if kept and literals[kept - 1] == (x ^ 1):
            return np.int32(FALSE)
        literals[kept] = x
        kept += 1
    if kept == 0:
        return np.int32(TRUE)
    # Plain literals first, inverted ones last: n inverted literals cost n - 1 ORs, no inversions.
    buffer = literals[:kept].copy()
    plain = 0
    for i in range(kept):
        if not buffer[i] & 1:
            literals[plain] = buffer[i]
            plain += 1
    place = plain
    for i in range(kept):
        if buffer[i] & 1:
            literals[place] = buffer[i]
            place += 1
    left = _reduce(net, literals[:plain])
    right = _reduce(net, literals[plain:kept])
    return and2(net, left, right)


@compile_kernel()
def _reduce(net, literals):
    count = literals.shape[0]
    if count == 0:
        return np.int32(TRUE)
    while count > 1:
        half = 0
        for i in range(0, count - 1, 2):
            literals[half] = and2(net, literals[i], literals[i + 1])
            half += 1
        if count & 1:
            literals[half] = literals[count - 1]
            half += 1
        count = half
    return literals[0]


@compile_kernel()
def or_all(net, literals, count):
    """Return the disjunction of literals[:count]; the array is used up."""
    for i in range(count):
        literals[i] ^= 1
    return np.int32(and_all(net, literals, count) ^ 1)
