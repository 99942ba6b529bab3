"""What a network sees of states, and what it says about moves, in compiled loops."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel


@compile_kernel(nogil=True)
def fill_observations(states, columns, seen):
    """Set the entries of observations, one a row, for the facts that hold.

    - states: (n, words) a bit for each fact
    - columns: (facts) the entry of each fact; -1 where it is not shown
    """
    for i in range(states.shape[0]):
        for fact in range(columns.shape[0]):
            if columns[fact] >= 0 and (states[i, fact >> 6] >> np.uint64(fact & 63)) & np.uint64(
                1
            ):
                seen[i, columns[fact]] = 1


@compile_kernel(nogil=True)
def set_priors(chosen, logits, players, actions, tree):
    """Give the arms of nodes their priors, those of each role in each node adding up to 1.

    - chosen: (n) the nodes
    - logits: (n, players, actions) what the network says
    - players: (roles) the index of a role among players; -1 for chance
    - actions: (rows) the action of each legal move
    """
    starts, arms = tree.starts, tree.arms
    for i in range(chosen.shape[0]):
        for role in range(players.shape[0]):
            player = players[role]
            first, end = starts[chosen[i], role], starts[chosen[i], role + 1]
            if player < 0 or end - first < 2:
                continue
            top = np.float32(-1e30)
            for arm in range(first, end):
                top = max(top, logits[i, player, actions[arms[arm].row]])
            total = np.float32(0.0)
            for arm in range(first, end):
                weight = np.exp(logits[i, player, actions[arms[arm].row]] - top)
                arms[arm].prior = weight
                total += weight
            for arm in range(first, end):
                arms[arm].prior /= total
