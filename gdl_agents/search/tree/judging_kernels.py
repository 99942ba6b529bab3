"""What a judge says of nodes that random games have visited often enough.

Such a node was judged by random games at first. Once it has been visited often, a judge is asked
about it: its priors say where to look from now on, and its value counts as that of several random
games, in all arms that lead there.
"""

from __future__ import annotations

from gdl_agents.search.tree.tree_records import JUDGED, SOLVED
from gdl_env.compiling import compile_kernel

# The share of a prior that all arms have alike: no move is ruled out by a judge alone.
_EVEN = 0.1


@compile_kernel(nogil=True)
def list_ripe(count, paths, tree, least, ripe):
    """List nodes on the paths of the first leaves that a judge must be asked about now.

    Returns how many there are. They are marked.

    - least: visits that a node must have
    - ripe: RipeNodes
    """
    nodes = tree.nodes
    found = 0
    for entry in range(count):
        for step in range(paths.lengths[entry]):
            node = paths.nodes[entry, step]
            if nodes[node].visits < least or nodes[node].flags & (JUDGED | SOLVED):
                continue
            if found == ripe.nodes.shape[0]:
                return found
            nodes[node].flags |= JUDGED
            ripe.nodes[found], ripe.entries[found], ripe.steps[found] = node, entry, step
            found += 1
    return found


@compile_kernel(nogil=True)
def heed_judge(count, values, weight, paths, tree, ripe):
    """Add the values of the first ripe nodes to all arms that lead to them.

    - values: (B, R) for each role; changed on the way
    - weight: how many random games each counts as
    """
    nodes, solved, arms = tree.nodes, tree.solved, tree.arms
    roles = paths.arms.shape[2]
    for i in range(count):
        entry = ripe.entries[i]
        nodes[ripe.nodes[i]].visits += weight
        for step in range(ripe.steps[i] - 1, -1, -1):
            node = paths.nodes[entry, step]
            nodes[node].visits += weight
            for role in range(roles):
                arm = paths.arms[entry, step, role]
                if arm >= 0:
                    arms[arm].visits += weight
                    arms[arm].sum += weight * values[i, role]
            # Above, this counts as what is proven, if that is better for who decides here.
            best = nodes[node].best
            if best >= 0:
                alone = nodes[node].decider
                if solved[best, alone] > values[i, alone]:
                    values[i] = solved[best]


@compile_kernel(nogil=True)
def soften_priors(chosen, tree):
    """Give all arms of nodes a share of the priors of their role."""
    starts, arms = tree.starts, tree.arms
    for node in chosen:
        for role in range(starts.shape[1] - 1):
            first, end = starts[node, role], starts[node, role + 1]
            for arm in range(first, end):
                arms[arm].prior = (1.0 - _EVEN) * arms[arm].prior + _EVEN / (end - first)
