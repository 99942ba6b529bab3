"""What is below a node of a tree in flat arrays."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel

# Nodes that wait to be visited, at most.
_WAITING = 4096


@compile_kernel(nogil=True)
def find_state(root, state, nodes, states, deepest):
    """Return the most visited node with a state among the descendants of a root; -1 if none."""
    best = -1
    stack = np.empty(_WAITING, np.int64)
    depths = np.empty(_WAITING, np.int64)
    stack[0], depths[0] = root, 0
    count = 1
    while count:
        count -= 1
        node, depth = stack[count], depths[count]
        same = True
        for word in range(state.shape[0]):
            same = same and states[node, word] == state[word]
        if same and (best < 0 or nodes[node].visits > nodes[best].visits):
            best = node
        if depth == deepest:
            continue
        child = nodes[node].child
        while child >= 0 and count < _WAITING:
            stack[count], depths[count] = child, depth + 1
            count += 1
            child = nodes[child].sibling
    return best


@compile_kernel(nogil=True)
def list_below(root, nodes, order):
    """List a node and all its descendants, parents first; return how many."""
    order[0] = root
    count = 1
    position = 0
    while position < count:
        child = nodes[order[position]].child
        while child >= 0:
            order[count] = child
            count += 1
            child = nodes[child].sibling
        position += 1
    return count
