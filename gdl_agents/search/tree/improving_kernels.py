"""Priors improved by what search has found, as Danihelka et al. (2022) do it.

The value of an arm that was never tried is completed by that of its node: what a judge said, and
the values of the arms that were tried, weighted by their priors. A prior is improved by adding
values, on a scale that grows with the visits, to its logarithm.
"""

from __future__ import annotations

import numpy as np

from gdl_agents.search.tree.tree_records import SOLVED
from gdl_env.compiling import compile_kernel

_LEAST_PRIOR = 1e-12
# More visits than this do not make values count more: differences that are noise would rule out
# moves for good, and the tree would follow a single line.
_MOST_VISITS = 200


@compile_kernel(nogil=True)
def complete_value(first, end, value, arms):
    """Return the value of arms that were never tried, and the visits of the arm with most.

    - value: what a judge said of the node, for the role of these arms
    """
    visits, most = 0, 0
    weight, total = 0.0, 0.0
    for arm in range(first, end):
        count = arms[arm].visits
        if count > 0:
            prior = arms[arm].prior + _LEAST_PRIOR
            weight += prior
            total += prior * arms[arm].sum / count
            visits += count
            most = max(most, count)
    if visits:
        value = (value + visits * total / weight) / (1.0 + visits)
    return value, most


@compile_kernel(nogil=True)
def choose_improved(first, end, value, nodes, arms, settings):
    """Return the arm that is furthest behind its share of the visits by the improved prior."""
    if end - first == 1:
        return first
    missing, most = complete_value(first, end, value, arms)
    scale = settings.value_scale * (settings.value_visits + min(most, _MOST_VISITS))
    tried, top = 0, -1.0
    for arm in range(first, end):
        tried += arms[arm].visits + arms[arm].pending
        count = arms[arm].visits
        top = max(top, arms[arm].sum / count if count > 0 else missing)
    total = 0.0
    for arm in range(first, end):
        count = arms[arm].visits
        mean = arms[arm].sum / count if count > 0 else missing
        total += (arms[arm].prior + _LEAST_PRIOR) * np.exp(scale * (mean - top))
    best, best_lag = first, -1e300
    for arm in range(first, end):
        child = arms[arm].child
        # There is nothing to learn from what is proven.
        if child >= 0 and nodes[child].flags & SOLVED:
            continue
        count = arms[arm].visits
        mean = arms[arm].sum / count if count > 0 else missing
        share = (arms[arm].prior + _LEAST_PRIOR) * np.exp(scale * (mean - top)) / total
        lag = share - (count + arms[arm].pending) / (1.0 + tried)
        if lag > best_lag:
            best, best_lag = arm, lag
    return best


@compile_kernel(nogil=True)
def weigh_improved(first, end, role, value, tree, settings, weights):
    """Set the improved logarithms of the priors of arms; values that are proven are exact."""
    nodes, _states, _starts, solved, arms, _table, _outcomes, _counts = tree
    missing, most = complete_value(first, end, value, arms)
    scale = settings.value_scale * (settings.value_visits + min(most, _MOST_VISITS))
    for arm in range(first, end):
        child, count = arms[arm].child, arms[arm].visits
        mean = missing
        if child >= 0 and nodes[child].flags & SOLVED:
            mean = solved[child, role]
        elif count > 0:
            mean = arms[arm].sum / count
        weights[arm - first] = np.log(arms[arm].prior + _LEAST_PRIOR) + scale * mean
