"""Sequential halving at roots: which arms are tried next, and the result."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.tree.improving_kernels import weigh_improved
from gdl_agents.search.tree.tree_records import SOLVED
from gdl_env.compiling import compile_kernel

# Of an arm that is not worth a look: a proven loss beside others.
_NEVER = -1e9


class Halving(NamedTuple):
    """How far the searches from B roots are; A arms of all of them, R roles."""

    # (B) the nodes, and the place of their first arm below.
    roots: NDArray[np.int64]
    offsets: NDArray[np.int64]
    # (B) descents in all, and those that are left.
    budget: NDArray[np.int64]
    left: NDArray[np.int64]
    # (B) rounds that are left with the arms that are considered now; halvings in all, 0 before the
    # first round.
    rounds: NDArray[np.int64]
    halvings: NDArray[np.int64]
    # (B, R) how many arms of a role are considered now.
    sizes: NDArray[np.int64]
    # (A) what chance adds to the logarithm of a prior.
    noise: NDArray[np.float32]
    # (A) the arms of a role that are considered, best first.
    order: NDArray[np.int32]
    # (A) room for the improved priors of the arms of a role.
    weights: NDArray[np.float64]


class RootFindings(NamedTuple):
    """What searches found out."""

    # (A) the improved prior of each arm; those of a role add up to 1.
    policy: NDArray[np.float32]
    # (B, R) the arm that each role takes, -1 for roles without one; and what each will get.
    chosen: NDArray[np.int32]
    values: NDArray[np.float64]


@compile_kernel(nogil=True)
def plan_round(halving: Halving, considered, tree, settings, roots, forced):
    """List the next descents, each considered arm of each root once; return how many.

    - considered: arms of a role that are considered at first
    - roots, forced: see `tree_kernels.select`
    """
    nodes, starts = tree.nodes, tree.starts
    roles = starts.shape[1] - 1
    count = 0
    for i in range(halving.roots.shape[0]):
        root = halving.roots[i]
        if halving.left[i] <= 0 or nodes[root].flags & SOLVED:
            continue
        if halving.rounds[i] == 0:
            _begin_phase(i, halving, considered, tree, settings)
        most = 0
        for role in range(roles):
            most = max(most, halving.sizes[i, role])
        if most < 2:
            halving.left[i] = 0
            continue
        for number in range(min(most, halving.left[i])):
            roots[count] = root
            for role in range(roles):
                size = halving.sizes[i, role]
                forced[count, role] = -1
                if size > 0:
                    # Roles that decide together meet each other's arms in turn.
                    place = (number + role * halving.rounds[i]) % size
                    start = halving.offsets[i] + starts[root, role] - starts[root, 0]
                    forced[count, role] = halving.order[start + place]
            count += 1
        halving.left[i] -= min(most, halving.left[i])
        halving.rounds[i] -= 1
    return count


@compile_kernel(nogil=True)
def _begin_phase(i, halving: Halving, considered, tree, settings):
    """Consider the best arms at first, and the better half of them in each later phase."""
    root = halving.roots[i]
    is_first = halving.halvings[i] == 0
    most = 0
    for role in range(halving.sizes.shape[1]):
        first, end = tree.starts[root, role], tree.starts[root, role + 1]
        size = halving.sizes[i, role]
        start = halving.offsets[i] + first - tree.starts[root, 0]
        if role == settings.nature:
            size = 0
        elif is_first:
            size = min(considered, end - first)
            for arm in range(first, end):
                halving.order[start + arm - first] = arm
            _rank(i, role, end - first, size, halving, tree, settings)
        elif size > 1:
            known, size = size, max(2, size // 2)
            _rank(i, role, known, size, halving, tree, settings)
        halving.sizes[i, role] = size
        most = max(most, size)
    if is_first:
        halving.halvings[i] = max(1, int(np.ceil(np.log2(max(most, 2)))))
    halving.rounds[i] = max(1, halving.budget[i] // (halving.halvings[i] * max(most, 1)))


@compile_kernel(nogil=True)
def _rank(i, role, known, wanted, halving: Halving, tree, settings):
    """Put the best of the known arms of a role first, as many as wanted."""
    root = halving.roots[i]
    first, end = tree.starts[root, role], tree.starts[root, role + 1]
    start = halving.offsets[i] + first - tree.starts[root, 0]
    weights = halving.weights[start : start + end - first]
    weigh_improved(first, end, role, tree.solved[root, role], tree, settings, weights)
    order = halving.order[start : start + known]
    for place in range(min(wanted, known)):
        best = place
        for other in range(place, known):
            arm, rival = order[other] - first, order[best] - first
            gain = weights[arm] + halving.noise[start + arm]
            if gain > weights[rival] + halving.noise[start + rival]:
                best = other
        order[place], order[best] = order[best], order[place]


@compile_kernel(nogil=True)
def conclude(halving: Halving, tree, settings, found: RootFindings):
    """Find out what each role should do in each root, and what it will get."""
    starts, solved, arms = tree.starts, tree.solved, tree.arms
    roles = starts.shape[1] - 1
    for i in range(halving.roots.shape[0]):
        root = halving.roots[i]
        for role in range(roles):
            found.chosen[i, role] = -1
            first, end = starts[root, role], starts[root, role + 1]
            if end == first or role == settings.nature:
                continue
            start = halving.offsets[i] + first - starts[root, 0]
            weights = halving.weights[start : start + end - first]
            weigh_improved(first, end, role, solved[root, role], tree, settings, weights)
            _heed_proofs(root, role, tree, weights)
            best, top = -1, -2e9
            for arm in range(first, end):
                top = max(top, weights[arm - first])
                if weights[arm - first] <= _NEVER:
                    continue
                if best < 0 or arms[arm].visits > arms[best].visits:
                    best = arm
                elif arms[arm].visits == arms[best].visits:
                    gain = weights[arm - first] + halving.noise[start + arm - first]
                    if gain > weights[best - first] + halving.noise[start + best - first]:
                        best = arm
            found.chosen[i, role] = best
            total = 0.0
            for arm in range(end - first):
                weights[arm] = np.exp(weights[arm] - top)
                total += weights[arm]
            for arm in range(end - first):
                found.policy[start + arm] = weights[arm] / total
        _value_root(root, tree, found.chosen[i], found.values[i])


@compile_kernel(nogil=True)
def _heed_proofs(root, role, tree, weights):
    """Leave only the best arms where the value of a root is proven; else none that is lost."""
    nodes, starts, solved, arms = tree.nodes, tree.starts, tree.solved, tree.arms
    if nodes[root].decider != role:
        return
    first, end = starts[root, role], starts[root, role + 1]
    is_solved = nodes[root].flags & SOLVED != 0
    for arm in range(first, end):
        child = arms[arm].child
        is_known = child >= 0 and nodes[child].flags & SOLVED != 0
        if is_solved:
            is_best = is_known and solved[child, role] >= solved[root, role] - 1e-9
            weights[arm - first] = 0.0 if is_best else _NEVER
        elif is_known and solved[child, role] <= 0.0:
            weights[arm - first] = _NEVER


@compile_kernel(nogil=True)
def _value_root(root, tree, chosen, values):
    """Set the values of a root: those after the chosen move, if it leads to one state."""
    nodes = tree.nodes
    node = root
    alone = nodes[root].decider
    if not nodes[root].flags & SOLVED and alone >= 0 and chosen[alone] >= 0:
        child = tree.arms[chosen[alone]].child
        node = child if child >= 0 else root
    for role in range(values.shape[0]):
        values[role] = tree.solved[node, role]
        if nodes[node].flags & SOLVED:
            continue
        visits, total = 0, values[role]
        for arm in range(tree.starts[node, role], tree.starts[node, role + 1]):
            visits += tree.arms[arm].visits
            total += tree.arms[arm].sum
        values[role] = total / (1.0 + visits)
