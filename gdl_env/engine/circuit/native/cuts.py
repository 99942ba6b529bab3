"""Gates of two values → fewer gates of three: an AVX-512 instruction is any function of three.

For each gate a few cuts are kept: sets of up to three values that decide it. The one with the
least share of work behind it is chosen (area flow); gates that only feed chosen ones vanish.
"""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.layout import ONE, ZERO
from gdl_env.engine.circuit.native.values import FIRST, SECOND, SECTION, TABLE

# Cuts that are kept for each gate, beside the gate itself.
_CUTS = 6


@compile_kernel()
def three_input_gates(gates, base, needed):
    """Return gates of up to three values that compute the same; numbers stay."""
    count = gates.shape[0]
    total = base + count
    # The leaves of each cut, in order; the first cut is the best so far, the last one of each
    # value is the value itself.
    leaves = np.full((total, _CUTS + 1, 3), -1, np.int32)
    tables = np.zeros((total, _CUTS + 1), np.int32)
    cost = np.zeros((total, _CUTS + 1), np.float32)
    amount = np.zeros(total, np.int32)
    flow = np.zeros(total, np.float32)
    uses = np.zeros(total, np.int32)
    for k in range(count):
        uses[gates[k, FIRST]] += 1
        uses[gates[k, SECOND]] += 1
    for value in range(total):
        uses[value] += needed[value]
    for value in range(base):
        leaves[value, 0, 0] = value
        tables[value, 0] = 0xF0
        amount[value] = 1
    # Constants need no leaf.
    leaves[ZERO, 0, 0] = leaves[ONE, 0, 0] = -1
    tables[ZERO, 0] = 0x00
    tables[ONE, 0] = 0xFF
    merged = np.empty(3, np.int32)
    for k in range(count):
        value = base + k
        left, right = gates[k, FIRST], gates[k, SECOND]
        for i in range(_first_cut(gates, base, k, left, amount), amount[left]):
            for j in range(_first_cut(gates, base, k, right, amount), amount[right]):
                if not _merge(leaves[left, i], leaves[right, j], merged):
                    continue
                work = np.float32(1.0)
                for n in range(3):
                    if merged[n] >= 0:
                        work += flow[merged[n]]
                place = _place(leaves, cost, amount, value, merged, work)
                if place >= 0:
                    tables[value, place] = _table(
                        gates[k, TABLE],
                        merged,
                        leaves[left, i],
                        tables[left, i],
                        leaves[right, j],
                        tables[right, j],
                    )
        best = 0
        for i in range(1, amount[value]):
            if cost[value, i] < cost[value, best]:
                best = i
        if best:
            for n in range(3):
                leaf = leaves[value, 0, n]
                leaves[value, 0, n] = leaves[value, best, n]
                leaves[value, best, n] = leaf
            tables[value, 0], tables[value, best] = tables[value, best], tables[value, 0]
            cost[value, 0], cost[value, best] = cost[value, best], cost[value, 0]
        flow[value] = cost[value, 0] / max(1, uses[value])
        own = amount[value]
        leaves[value, own, 0] = value
        tables[value, own] = 0xF0
        amount[value] = own + 1
    result = np.empty((count, 5), np.int32)
    for k in range(count):
        result[k, TABLE] = tables[base + k, 0]
        for n in range(3):
            result[k, FIRST + n] = leaves[base + k, 0, n]
        if result[k, FIRST] < 0:
            # A constant after all: any value will do.
            result[k, FIRST] = ZERO
        result[k, SECTION] = gates[k, SECTION]
    return result


@compile_kernel()
def _first_cut(gates, base, k, child, amount):
    """Cuts do not reach into other sections: there only the value itself counts."""
    if child >= base and gates[child - base, SECTION] != gates[k, SECTION]:
        return amount[child] - 1
    return 0


@compile_kernel()
def _merge(first, second, merged):
    """Merge two ordered sets of leaves; tell whether at most three remain."""
    for k in range(3):
        merged[k] = -1
    i, j, n = 0, 0, 0
    while True:
        a = first[i] if i < 3 else -1
        b = second[j] if j < 3 else -1
        if a < 0 and b < 0:
            return True
        if n == 3:
            return False
        if b < 0 or (0 <= a < b):
            merged[n] = a
            i += 1
        elif a < 0 or b < a:
            merged[n] = b
            j += 1
        else:
            merged[n] = a
            i += 1
            j += 1
        n += 1


@compile_kernel()
def _place(leaves, cost, amount, value, merged, work):
    """Find a place for a cut, or -1: it is known, or all that are kept are better."""
    worst = 0
    for i in range(amount[value]):
        if (
            leaves[value, i, 0] == merged[0]
            and leaves[value, i, 1] == merged[1]
            and leaves[value, i, 2] == merged[2]
        ):
            return -1
        if cost[value, i] > cost[value, worst]:
            worst = i
    if amount[value] < _CUTS:
        worst = amount[value]
        amount[value] += 1
    elif cost[value, worst] <= work:
        return -1
    for n in range(3):
        leaves[value, worst, n] = merged[n]
    cost[value, worst] = work
    return worst


@compile_kernel()
def _table(gate, merged, first, first_table, second, second_table):
    """Return the truth table of a gate over merged leaves."""
    result = 0
    for row in range(8):
        a = (first_table >> _index(merged, row, first)) & 1
        b = (second_table >> _index(merged, row, second)) & 1
        result |= ((gate >> (4 * a + 2 * b)) & 1) << row
    return result


@compile_kernel()
def _index(merged, row, leaves):
    """Return the row of the table over some leaves that belongs to a row over all."""
    index = 0
    for i in range(3):
        for n in range(3):
            if leaves[i] >= 0 and leaves[i] == merged[n] and (row >> (2 - n)) & 1:
                index |= 4 >> i
    return index
