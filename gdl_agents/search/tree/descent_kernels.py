"""Descents in trees: from roots to leaves, and the children that are made on the way."""

from __future__ import annotations

import numpy as np

from gdl_agents.search.tree.tree_kernels import (
    choose_arms,
    code_of,
    find_child,
    force_arms,
)
from gdl_agents.search.tree.tree_records import (
    ASKED,
    ENTRIES,
    LEAVES,
    MIXED,
    NODES,
    OPENED,
    OPENINGS,
    READY,
    SEEN,
    SOLVED,
    UCB,
    WANTED,
)
from gdl_env.compiling import compile_kernel


@compile_kernel(nogil=True)
def select(roots, forced, tree, descents, settings, random):
    """Go down from each root once; what is reached becomes a leaf, new children are asked for.

    Nodes that are SEEN wait for their arms, with the way to them, among the openings. Returns how
    many roots were served: fewer where the arrays are full.

    - forced: (B, R) the arm that each role takes in the root of each descent, -1: it is chosen;
      or (0, R)
    """
    counts = tree.counts
    paths, openings, _wanted, chosen = descents
    roles = tree.starts.shape[1] - 1
    for number in range(roots.shape[0]):
        if (
            counts[LEAVES] + settings.family + roles >= paths.leaves.shape[0]
            or counts[OPENINGS] == openings.leaves.shape[0]
        ):
            return number
        node = roots[number]
        length = 0
        if len(forced) and _can_descend(node, settings, tree):
            entry = counts[LEAVES]
            choose_arms(node, tree, settings, random, chosen)
            force_arms(forced[number], tree.arms, tree.outcomes, random, chosen)
            node, is_leaf = _take_step(node, 0, entry, tree, descents, settings)
            if is_leaf:
                continue
            length = 1
        _descend(node, length, tree, descents, settings, random)
    return roots.shape[0]


@compile_kernel(nogil=True)
def open_nodes(first, tree, descents, settings, random):
    """Go on from nodes that got their arms, from the first one on, as far as there is room.

    Returns which one is the next.
    """
    counts = tree.counts
    paths, openings, _wanted, _chosen = descents
    roles = tree.starts.shape[1] - 1
    for number in range(first, counts[OPENINGS]):
        if counts[LEAVES] + settings.family + roles >= paths.leaves.shape[0]:
            return number
        length = openings.lengths[number]
        _copy_way(openings, number, paths, counts[LEAVES], length)
        node = np.int64(openings.leaves[number])
        _descend(node, length, tree, descents, settings, random)
    return counts[OPENINGS]


@compile_kernel(nogil=True)
def _can_descend(node, settings, tree):
    """Tell whether an arm may be taken in a node, without all its children being made."""
    flags = tree.nodes[node].flags
    if flags & SOLVED or not flags & READY:
        return False
    size = tree.starts[node, -1] - tree.starts[node, 0]
    return flags & OPENED != 0 or tree.counts[NODES] + size <= settings.most_nodes


@compile_kernel(nogil=True)
def _descend(node, length, tree, descents, settings, random):
    """Go down from a node, `length` steps from the root; its way is that of the next leaf."""
    # Unpacked once: parts of records that are taken out again and again cost time.
    nodes, _states, starts, _solved, _arms, _table, _outcomes, counts = tree
    paths, openings, wanted, chosen = descents
    deepest = paths.nodes.shape[1]
    roles = starts.shape[1] - 1
    entry = counts[LEAVES]
    has_families = settings.mode == UCB or settings.mode == MIXED
    while True:
        flags = nodes[node].flags
        if flags & SOLVED or length == deepest - 1:
            _add_leaf(entry, node, length, paths, counts)
            return
        if not flags & READY:
            if not flags & SEEN or flags & ASKED or counts[OPENINGS] == openings.leaves.shape[0]:
                _add_leaf(entry, node, length, paths, counts)
                return
            nodes[node].flags |= ASKED
            _copy_way(paths, entry, openings, counts[OPENINGS], length)
            openings.leaves[counts[OPENINGS]] = node
            openings.lengths[counts[OPENINGS]] = length
            counts[OPENINGS] += 1
            return
        alone = nodes[node].decider
        size = starts[node, roles] - starts[node, 0]
        if not flags & OPENED:
            if counts[NODES] + size > settings.most_nodes:
                _add_leaf(entry, node, length, paths, counts)
                return
            if alone >= 0 and has_families and size - roles < settings.family:
                nodes[node].flags |= OPENED
                _open(node, length, entry, tree, paths, wanted)
                return
        choose_arms(node, tree, settings, random, chosen)
        node, is_leaf = _take_step(node, length, entry, tree, descents, settings)
        if is_leaf:
            return
        length += 1


@compile_kernel(nogil=True, inline='always')
def _take_step(node, length, entry, tree, descents, settings):
    """Take the chosen arms; return the child, which is made if need be, and False.

    Where there is no room for it, the node becomes a leaf; returns it, and True.
    """
    nodes, _states, starts, _solved, arms, table, _outcomes, counts = tree
    paths, _openings, wanted, chosen = descents
    roles = starts.shape[1] - 1
    alone = nodes[node].decider
    paths.nodes[entry, length] = node
    for role in range(roles):
        paths.arms[entry, length, role] = chosen.arms[role]
        if chosen.arms[role] >= 0:
            arms[chosen.arms[role]].pending += 1
    place = np.int64(0)
    key = np.uint64(0)
    if alone >= 0:
        child = np.int64(arms[chosen.arms[alone]].child)
    else:
        place, key = find_child(table, node, code_of(chosen.does))
        child = np.int64(table[place].child)
    if child < 0:
        if counts[NODES] >= settings.most_nodes:
            _add_leaf(entry, node, length + 1, paths, counts)
            return np.int64(node), True
        child = np.int64(_add_node(node, chosen.does, nodes, counts, wanted))
        if alone >= 0:
            arms[chosen.arms[alone]].child = child
        else:
            table[place].key = key
            table[place].child = child
            counts[ENTRIES] += 1
    return child, False


@compile_kernel(nogil=True)
def _copy_way(source, place, target, entry, length):
    """Copy the way of a descent, as far as it goes."""
    for step in range(length):
        target.nodes[entry, step] = source.nodes[place, step]
        for role in range(source.arms.shape[2]):
            target.arms[entry, step, role] = source.arms[place, step, role]


@compile_kernel(nogil=True, inline='always')
def _add_leaf(entry, node, length, paths, counts):
    paths.leaves[entry] = node
    paths.lengths[entry] = length
    counts[LEAVES] += 1


@compile_kernel(nogil=True, inline='always')
def _add_node(parent, does, nodes, counts, wanted):
    """Add a child that is reached by what all roles do, and ask for its state."""
    node = counts[NODES]
    counts[NODES] += 1
    nodes[node].flags = 0
    nodes[node].visits = 0
    nodes[node].decider = -1
    nodes[node].best = -1
    nodes[node].code = code_of(does)
    nodes[node].parent = parent
    nodes[node].child = -1
    nodes[node].sibling = nodes[parent].child
    nodes[parent].child = node
    wanted.parents[counts[WANTED]] = parent
    wanted.does[counts[WANTED]] = does
    counts[WANTED] += 1
    return node


@compile_kernel(nogil=True)
def _open(node, length, entry, tree, paths, wanted):
    """Ask for all children of a node; each is a leaf of its own."""
    nodes, _states, starts, _solved, arms, _table, _outcomes, counts = tree
    alone = nodes[node].decider
    roles = starts.shape[1] - 1
    does = np.empty(roles, np.int32)
    first, end = starts[node, alone], starts[node, alone + 1]
    for arm in range(first, end):
        place = entry + arm - first
        for step in range(length):
            paths.nodes[place, step] = paths.nodes[entry, step]
            for role in range(roles):
                taken = paths.arms[entry, step, role]
                paths.arms[place, step, role] = taken
                if arm > first and taken >= 0:
                    arms[taken].pending += 1
        paths.nodes[place, length] = node
        for role in range(roles):
            chosen = starts[node, role]
            if starts[node, role + 1] == chosen:
                chosen = -1
            if role == alone:
                chosen = arm
            paths.arms[place, length, role] = chosen
            does[role] = -1
            if chosen >= 0:
                arms[chosen].pending += 1
                does[role] = arms[chosen].does
        child = _add_node(node, does, nodes, counts, wanted)
        arms[arm].child = child
        _add_leaf(place, child, length + 1, paths, counts)
