"""Numbers as rows of bits in a network: counting, adding, comparing, choosing by chance."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.circuit.network.logic import FALSE, TRUE, add_input, and2, or2, xor2

# Random bits beyond those that the number of choices needs: a choice is off by at most 2^-12 of
# its share.
EXTRA_BITS = 12


@compile_kernel()
def add(net, a, b):
    """Return the bits of a + b, lowest first, one more than the longer has."""
    width = max(len(a), len(b))
    result = np.empty(width + 1, np.int32)
    carry = np.int32(FALSE)
    for i in range(width):
        x = a[i] if i < len(a) else np.int32(FALSE)
        y = b[i] if i < len(b) else np.int32(FALSE)
        half = xor2(net, x, y)
        result[i] = xor2(net, half, carry)
        carry = or2(net, and2(net, x, y), and2(net, half, carry))
    result[width] = carry
    return result


@compile_kernel()
def count_true(net, literals):
    """Return the bits of the number of true literals, by full adders (five gates a literal)."""
    width = 1
    while (1 << width) <= len(literals):
        width += 1
    result = np.zeros(width, np.int32)
    column = literals.copy()
    for bit in range(width):
        carried = np.empty(len(column) // 2 + 1, np.int32)
        carries = 0
        head = 0
        queue = np.empty(2 * len(column) + 2, np.int32)
        queue[: len(column)] = column
        tail = len(column)
        while tail - head >= 3:
            x, y, z = queue[head], queue[head + 1], queue[head + 2]
            head += 3
            half = xor2(net, x, y)
            queue[tail] = xor2(net, half, z)
            tail += 1
            carried[carries] = or2(net, and2(net, x, y), and2(net, half, z))
            carries += 1
        if tail - head == 2:
            x, y = queue[head], queue[head + 1]
            result[bit] = xor2(net, x, y)
            carried[carries] = and2(net, x, y)
            carries += 1
        elif tail - head == 1:
            result[bit] = queue[head]
        column = carried[:carries].copy()
    return result


@compile_kernel()
def is_equal(net, bits, value):
    """Return the literal that says whether the bits are a given number."""
    if value >> len(bits):
        return np.int32(FALSE)
    result = np.int32(TRUE)
    for i in range(len(bits)):
        result = and2(net, result, bits[i] if (value >> i) & 1 else bits[i] ^ 1)
    return result


@compile_kernel()
def draw_below(net, bits, inputs):
    """Return the bits of a random number from 0 to bits - 1; writes the inputs it adds."""
    width = len(bits)
    total = np.zeros(width, np.int32)
    for i in range(len(inputs)):
        random = add_input(net)
        inputs[i] = random
        masked = np.empty(width, np.int32)
        for j in range(width):
            masked[j] = and2(net, random, bits[j])
        # (total + random · bits) / 2: in the end random / 2^k · bits, rounded down.
        total = add(net, total, masked)[1:].copy()
    return total


@compile_kernel()
def subtract(net, a, b):
    """Return the bits of a - b and the literal that says a < b."""
    width = max(len(a), len(b))
    result = np.empty(width, np.int32)
    borrow = np.int32(FALSE)
    for i in range(width):
        x = a[i] if i < len(a) else np.int32(FALSE)
        y = b[i] if i < len(b) else np.int32(FALSE)
        half = xor2(net, x, y)
        result[i] = xor2(net, half, borrow)
        borrow = or2(net, and2(net, x ^ 1, y), and2(net, half ^ 1, borrow))
    return result, borrow


@compile_kernel()
def pick(net, weights, starts, active, inputs):
    """Return for each choice the literal that says it is drawn, and one that says any is.

    Choice i has the number with bits weights[starts[i]:starts[i + 1]] as its weight (no bits: 0);
    at most one is drawn, none where `active` is false or all weights are 0. `inputs` is filled
    with the random inputs that are added; it must be `random_bits` long.
    """
    count = len(starts) - 1
    result = np.zeros(count, np.int32)
    if count == 0:
        return result, np.int32(FALSE)
    # A binary tree of sums in heap order: node n has children 2n and 2n + 1.
    size = 1
    while size < count:
        size *= 2
    sums = [np.zeros(0, np.int32) for _ in range(2 * size)]
    most = np.zeros(2 * size, np.int64)
    for i in range(count):
        sums[size + i] = weights[starts[i] : starts[i + 1]].copy()
        most[size + i] = (1 << (starts[i + 1] - starts[i])) - 1
    for node in range(size - 1, 0, -1):
        left, right = sums[2 * node], sums[2 * node + 1]
        most[node] = most[2 * node] + most[2 * node + 1]
        if len(right) == 0:
            sums[node] = left
        else:
            sums[node] = _trim(add(net, left, right))
    rests = [np.zeros(0, np.int32) for _ in range(2 * size)]
    reached = np.zeros(2 * size, np.int32)
    root = sums[1]
    # What is left to go is below the sum: it needs no more bits than the sum less one.
    rests[1] = draw_below(net, root, inputs)[: _width(most[1] - 1)].copy()
    some = np.int32(FALSE)
    for bit in root:
        some = or2(net, some, bit)
    reached[1] = and2(net, active, some)
    for node in range(1, size):
        left, right = sums[2 * node], sums[2 * node + 1]
        if len(right) == 0:
            reached[2 * node] = reached[node]
            rests[2 * node] = rests[node]
            continue
        rest, is_left = subtract(net, rests[node], left)
        reached[2 * node] = and2(net, reached[node], is_left)
        reached[2 * node + 1] = and2(net, reached[node], is_left ^ 1)
        rests[2 * node] = rests[node][: _width(most[2 * node] - 1)].copy()
        rests[2 * node + 1] = rest[: _width(most[2 * node + 1] - 1)].copy()
    for i in range(count):
        result[i] = reached[size + i]
    return result, reached[1]


@compile_kernel()
def random_bits(net, weights, starts):
    """Return how many random inputs `pick` needs."""
    most = 0
    for i in range(len(starts) - 1):
        most += (1 << (starts[i + 1] - starts[i])) - 1
    return 0 if len(starts) <= 2 else _width(most) + EXTRA_BITS


@compile_kernel()
def _width(value):
    """Return the number of bits of a number; 0 for a negative one, as below a sum of 0."""
    width = 0
    while value > 0 and value >> width:
        width += 1
    return width


@compile_kernel()
def _trim(bits):
    count = len(bits)
    while count and bits[count - 1] == FALSE:
        count -= 1
    return bits[:count].copy()
