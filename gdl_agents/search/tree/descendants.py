"""What is below a node of a tree in flat arrays."""

from __future__ import annotations

import numpy as np

from gdl_agents.search.tree.tree_kernels import find_child
from gdl_agents.search.tree.tree_records import SOLVED
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
def list_below(root, nodes, least, order):
    """List a node and its descendants, parents first; return how many.

    Children of those with fewer visits than `least` are left out, except for the root. So are, if
    that is above 0, those of nodes whose values are certain.
    """
    order[0] = root
    count = 1
    position = 0
    while position < count:
        node = order[position]
        is_kept = nodes[node].visits >= least and (least == 0 or not nodes[node].flags & SOLVED)
        child = nodes[node].child if is_kept or position == 0 else -1
        while child >= 0:
            order[count] = child
            count += 1
            child = nodes[child].sibling
        position += 1
    return count


@compile_kernel(nogil=True)
def enter_children(children, parents, nodes, table):
    """Enter children into a table, in which there is room for them; see `find_child`."""
    for child in children:
        place, key = find_child(table, np.int64(parents[child]), nodes[child].code)
        table[place].key = key
        table[place].child = child


@compile_kernel(nogil=True)
def enter_again(entries, table):
    """Enter entries of a smaller table into a larger one; see `find_child`."""
    mask = table.shape[0] - 1
    for k in range(entries.shape[0]):
        key = entries[k].key
        place = np.int64((key >> np.uint64(20)) & np.uint64(mask))
        while table[place].child >= 0:
            place = (place + 1) & mask
        table[place].key = key
        table[place].child = entries[k].child
