"""Tape → values: every value has a number of its own, whatever slots the tape put it into.

Machine code has registers, so it needs neither the tape's order nor its slots. Numbers begin as
rows of memory do: constants, inputs. Then come what cycles feed back, and then the gates, of which
the first has the number `base`.
"""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.layout import FIRST_INPUT
from gdl_env.engine.circuit.tape import columns
from gdl_env.engine.circuit.tape.columns import FED_INPUT, FED_LOOP, FED_RESULT

# Columns of gates: the truth table over up to three values, with bit 4 · first + 2 · second +
# third; these values (-1: none); the number of the section. Sections are cut where cycles begin
# and end.
TABLE, FIRST, SECOND, THIRD, SECTION = range(5)

# Truth tables of AND, OR, XOR and ANDNOT, in the order of their numbers.
TABLES = np.array([0xC0, 0xFC, 0x3C, 0x30], np.int32)


@compile_kernel()
def value_gates(operations, loops, feedback, inputs, slots):
    """Return gates of two values, the cycle of each section, the results that cycles feed back.

    The last of the answers is the value that each slot holds in the end. `loops` says for each
    operation to which cycle it belongs.
    """
    count = operations.shape[0]
    fed = FIRST_INPUT + inputs
    base = fed + feedback.shape[0]
    gates = np.full((count, 5), -1, np.int32)
    results = np.full(feedback.shape[0], -1, np.int32)
    cycles = np.zeros(count, np.int32)
    current = np.full(slots, -1, np.int32)
    for value in range(fed):
        current[value] = value
    for k in range(feedback.shape[0]):
        current[feedback[k, FED_INPUT]] = fed + k
    sections = 0
    for k in range(count):
        if k == 0 or loops[k] != loops[k - 1]:
            cycles[sections] = loops[k]
            sections += 1
        gates[k, TABLE] = TABLES[operations[k, columns.KIND]]
        gates[k, FIRST] = current[operations[k, columns.LEFT]]
        gates[k, SECOND] = current[operations[k, columns.RIGHT]]
        gates[k, SECTION] = sections - 1
        current[operations[k, columns.TARGET]] = base + k
        if loops[k] and (k + 1 == count or loops[k + 1] != loops[k]):
            for j in range(feedback.shape[0]):
                if feedback[j, FED_LOOP] == loops[k]:
                    results[j] = current[feedback[j, FED_RESULT]]
    return gates, cycles[:sections], results, current


@compile_kernel()
def order_gates(gates, base, needed):
    """Return an order, depth first within sections, in which few values are alive at a time.

    `needed` marks values that must be there after their section. Gates that nothing needs are
    left out. The child that itself needs more registers comes first.
    """
    count = gates.shape[0]
    wanted = np.zeros(count, np.bool_)
    roots = np.zeros(count, np.bool_)
    weight = np.zeros(count, np.int32)
    for k in range(count - 1, -1, -1):
        if needed[base + k]:
            wanted[k] = True
            roots[k] = True
        if not wanted[k]:
            continue
        for side in range(FIRST, THIRD + 1):
            child = gates[k, side] - base
            if child >= 0:
                wanted[child] = True
                if gates[child, SECTION] != gates[k, SECTION]:
                    roots[child] = True
    for k in range(count):
        heaviest = 0
        for side in range(FIRST, THIRD + 1):
            child = gates[k, side] - base
            if child >= 0:
                heaviest = weight[child] + 1 if weight[child] == heaviest else heaviest
                heaviest = max(heaviest, weight[child])
        weight[k] = heaviest
    order = np.empty(count, np.int32)
    seen = np.zeros(count, np.bool_)
    stack = np.empty(4 * count + 4, np.int32)
    done = 0
    for root in range(count):
        if not roots[root]:
            continue
        stack[0] = root
        top = 1
        while top:
            k = stack[top - 1]
            if seen[k]:
                top -= 1
                continue
            chosen = -1
            for side in range(FIRST, THIRD + 1):
                child = gates[k, side] - base
                if (
                    child >= 0
                    and not seen[child]
                    and gates[child, SECTION] == gates[k, SECTION]
                    and (chosen < 0 or weight[child] > weight[chosen])
                ):
                    chosen = child
            if chosen >= 0:
                stack[top] = chosen
                top += 1
            else:
                top -= 1
                seen[k] = True
                order[done] = k
                done += 1
    return order[:done]


@compile_kernel()
def renumber(gates, order, base, values):
    """Put gates into an order; return them, and other arrays of values, with new numbers."""
    number = np.full(base + gates.shape[0], -1, np.int32)
    for value in range(base):
        number[value] = value
    for k in range(len(order)):
        number[base + order[k]] = base + k
    result = np.empty((len(order), 5), np.int32)
    for k in range(len(order)):
        gate = order[k]
        result[k, TABLE], result[k, SECTION] = gates[gate, TABLE], gates[gate, SECTION]
        for side in range(FIRST, THIRD + 1):
            value = gates[gate, side]
            result[k, side] = number[value] if value >= 0 else -1
    renamed = np.full(len(values), -1, np.int32)
    for k in range(len(values)):
        if values[k] >= 0:
            renamed[k] = number[values[k]]
    return result, renamed
