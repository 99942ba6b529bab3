"""Network → tape: which gates are needed, in which order, and in which slots their values live."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.layout import ONE, ZERO
from gdl_env.engine.circuit.network.logic import ANDNOT, INPUT, KIND, LEFT, OR, RIGHT
from gdl_env.engine.circuit.tape import columns


@compile_kernel()
def needed_nodes(gates, wanted, done):
    """Mark the gates that the wanted nodes depend on and that are not done yet."""
    count = gates.shape[0]
    needed = np.zeros(count, np.bool_)
    stack = np.empty(count + len(wanted), np.int64)
    top = 0
    for node in wanted:
        if not needed[node] and not done[node] and gates[node, KIND] != INPUT:
            needed[node] = True
            stack[top] = node
            top += 1
    while top:
        top -= 1
        node = stack[top]
        for side in (LEFT, RIGHT):
            child = gates[node, side]
            if not needed[child] and not done[child] and gates[child, KIND] != INPUT:
                needed[child] = True
                stack[top] = child
                top += 1
    return needed


@compile_kernel()
def depth_first(gates, needed, wanted):
    """Order gates so that a value is used soon after it is computed: few are alive at a time."""
    seen = np.zeros(gates.shape[0], np.bool_)
    order = np.empty(needed.sum(), np.int32)
    stack = np.empty(2 * len(order) + len(wanted) + 2, np.int64)
    done = 0
    for root in wanted:
        stack[0] = root
        top = 1
        while top:
            node = stack[top - 1]
            if seen[node] or not needed[node]:
                top -= 1
                continue
            left, right = gates[node, LEFT], gates[node, RIGHT]
            waits = False
            if needed[right] and not seen[right]:
                stack[top] = right
                top += 1
                waits = True
            if needed[left] and not seen[left]:
                stack[top] = left
                top += 1
                waits = True
            if not waits:
                top -= 1
                seen[node] = True
                order[done] = node
                done += 1
    return order


@compile_kernel()
def group_kinds(gates, order, window):
    """Reorder gates within windows so that runs are of one kind.

    Within a run no branch is mispredicted; within a window values stay in the cache.
    """
    result = np.empty(len(order), np.int32)
    position = np.full(gates.shape[0], -1, np.int64)
    ready = np.empty((4, window), np.int32)
    tops = np.zeros(4, np.int64)
    users = np.empty(2 * window, np.int32)
    for low in range(0, len(order), window):
        high = min(low + window, len(order))
        size = high - low
        missing = np.zeros(size, np.int8)
        first = np.zeros(size + 1, np.int64)
        for k in range(size):
            position[order[low + k]] = k
        for k in range(size):
            node = order[low + k]
            for side in (LEFT, RIGHT):
                child = position[gates[node, side]]
                if child >= 0:
                    first[child + 1] += 1
                    missing[k] += 1
        for k in range(size):
            first[k + 1] += first[k]
        place = first[:-1].copy()
        for k in range(size):
            node = order[low + k]
            for side in (LEFT, RIGHT):
                child = position[gates[node, side]]
                if child >= 0:
                    users[place[child]] = k
                    place[child] += 1
        tops[:] = 0
        for k in range(size - 1, -1, -1):
            if missing[k] == 0:
                kind = gates[order[low + k], KIND]
                ready[kind, tops[kind]] = k
                tops[kind] += 1
        done = low
        while done < high:
            kind = 0
            for other in range(1, 4):
                if tops[other] > tops[kind]:
                    kind = other
            while tops[kind]:
                tops[kind] -= 1
                k = ready[kind, tops[kind]]
                result[done] = order[low + k]
                done += 1
                for i in range(first[k], first[k + 1]):
                    user = users[i]
                    missing[user] -= 1
                    if missing[user] == 0:
                        other = gates[order[low + user], KIND]
                        ready[other, tops[other]] = user
                        tops[other] += 1
        for k in range(size):
            position[order[low + k]] = -1
    return result


@compile_kernel()
def place_values(gates, order, slot, kept, slots):
    """Give each value a slot; slots are used again once a value is not needed any more.

    `slot` holds the slots of inputs and of what earlier parts computed (-1: none), `kept` the
    nodes whose value must stay. Returns rows (operation, target, left, right) and the number of
    slots in use.
    """
    count = len(order)
    uses = np.zeros(gates.shape[0], np.int32)
    for node in order:
        uses[gates[node, LEFT]] += 1
        uses[gates[node, RIGHT]] += 1
    here = np.zeros(gates.shape[0], np.bool_)
    rows = np.empty((count, 4), np.int32)
    free = np.empty(count + 1, np.int32)
    top = 0
    for k in range(count):
        node = order[k]
        left, right = gates[node, LEFT], gates[node, RIGHT]
        rows[k, columns.KIND] = gates[node, KIND]
        rows[k, columns.LEFT] = slot[left]
        rows[k, columns.RIGHT] = slot[right]
        for child in (left, right):
            uses[child] -= 1
            if uses[child] == 0 and here[child] and not kept[child]:
                free[top] = slot[child]
                top += 1
                here[child] = False
        if top:
            top -= 1
            slot[node] = free[top]
        else:
            slot[node] = slots
            slots += 1
        here[node] = True
        rows[k, columns.TARGET] = slot[node]
    return rows, slots


def copy_row(target: int, source: int) -> tuple[int, int, int, int]:
    """Return the operation that copies a slot."""
    return OR, target, source, ZERO


def invert_row(target: int, source: int) -> tuple[int, int, int, int]:
    """Return the operation that writes the inverse of a slot."""
    return ANDNOT, target, ONE, source
