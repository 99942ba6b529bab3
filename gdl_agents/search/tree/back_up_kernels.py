"""Back-up in trees: values of leaves go up to their roots, and so do proofs."""

from __future__ import annotations

import numpy as np

from gdl_agents.search.tree.tree_records import SOLVED
from gdl_env.compiling import compile_kernel


@compile_kernel(nogil=True)
def back_up(count, paths, values, tree, traces):
    """Add the values of the first leaves to all arms on their paths, and prove what follows.

    - values: (B, R) for each role; changed on the way
    - traces: (B, words) bits of what was done in the games after the leaves; or (0, words)
    """
    nodes, _states, starts, solved, arms, _table, _outcomes, _counts = tree
    roles = paths.arms.shape[2]
    for entry in range(count):
        leaf = paths.leaves[entry]
        nodes[leaf].visits += 1
        is_proof = nodes[leaf].flags & SOLVED != 0
        for step in range(paths.lengths[entry] - 1, -1, -1):
            node = paths.nodes[entry, step]
            nodes[node].visits += 1
            for role in range(roles):
                arm = paths.arms[entry, step, role]
                if arm >= 0:
                    arms[arm].visits += 1
                    arms[arm].sum += values[entry, role]
                    arms[arm].pending -= 1
            if len(traces):
                _add_late(entry, step, paths, values, starts, arms, traces)
            # Above, this counts as what is proven, if that is better for who decides here.
            best = nodes[node].best
            if best >= 0:
                alone = nodes[node].decider
                if solved[best, alone] > values[entry, alone]:
                    values[entry] = solved[best]
            if is_proof and not nodes[node].flags & SOLVED:
                is_proof = _prove(node, nodes, starts, solved, arms)


@compile_kernel(nogil=True)
def _add_late(entry, step, paths, values, starts, arms, traces):
    """Let all arms of a node learn from a game in which the same was done, now or later."""
    node = paths.nodes[entry, step]
    for role in range(paths.arms.shape[2]):
        arm = paths.arms[entry, step, role]
        if arm >= 0 and arms[arm].does >= 0:
            row = arms[arm].does
            traces[entry, row >> 6] |= np.uint64(1) << np.uint64(row & 63)
        for other in range(starts[node, role], starts[node, role + 1]):
            row = arms[other].does
            if row >= 0 and (traces[entry, row >> 6] >> np.uint64(row & 63)) & np.uint64(1):
                arms[other].late_visits += np.float32(1.0)
                arms[other].late_sum += np.float32(values[entry, role])


@compile_kernel(nogil=True)
def _prove(node, nodes, starts, solved, arms):
    """Find out whether the value of a node follows from those of its children."""
    alone = nodes[node].decider
    if alone < 0:
        return False
    best = -1
    complete = True
    for arm in range(starts[node, alone], starts[node, alone + 1]):
        child = arms[arm].child
        if child < 0 or not nodes[child].flags & SOLVED:
            complete = False
            continue
        if best < 0 or solved[child, alone] > solved[best, alone]:
            best = child
    nodes[node].best = best
    if best < 0 or not (complete or solved[best, alone] >= 1.0):
        return False
    nodes[node].flags |= SOLVED
    solved[node] = solved[best]
    return True
