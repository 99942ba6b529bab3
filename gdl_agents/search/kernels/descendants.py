"""What is below a node of a tree in flat arrays."""

from __future__ import annotations

import numpy as np

from gdl_agents.search.kernels.tree import CHILD, SIBLING
from gdl_env.engine.compiling import compile_kernel


@compile_kernel(nogil=True)
def find_state(root, state, states, links, visits, deepest):
    """Return the most visited node with a state among the descendants of a root; -1 if none."""
    best = -1
    stack = np.empty(4096, np.int64)
    depths = np.empty(4096, np.int64)
    stack[0], depths[0] = root, 0
    count = 1
    while count:
        count -= 1
        node, depth = stack[count], depths[count]
        same = True
        for word in range(state.shape[0]):
            same = same and states[node, word] == state[word]
        if same and (best < 0 or visits[node] > visits[best]):
            best = node
        if depth == deepest:
            continue
        child = links[node, CHILD]
        while child >= 0 and count < 4096:
            stack[count], depths[count] = child, depth + 1
            count += 1
            child = links[child, SIBLING]
    return best


@compile_kernel(nogil=True)
def list_below(root, links, order):
    """List a node and all its descendants, parents first; return how many."""
    order[0] = root
    count = 1
    position = 0
    while position < count:
        child = links[order[position], CHILD]
        while child >= 0:
            order[count] = child
            count += 1
            child = links[child, SIBLING]
        position += 1
    return count
