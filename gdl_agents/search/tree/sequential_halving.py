"""Searches with a fixed number of descents: arms of roots compete, half of them after the other.

This is the Gumbel root of Danihelka et al. (2022): arms are drawn without replacement by noise
that is added to the logarithms of their priors, and each phase keeps the better half. All
considered arms of all roots are tried together, so that a judge is asked about many nodes at a
time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.tree.forest import Forest
from gdl_agents.search.tree.halving_kernels import Halving, RootFindings, conclude, plan_round
from gdl_agents.search.tree.tree_records import SOLVED


@dataclass(frozen=True)
class RootResults:
    """What searches from roots found out. All arrays are by root and role."""

    # The first of the policies of each root, and the arms before those of each role.
    offsets: NDArray[np.int64]
    starts: NDArray[np.int64]
    found: RootFindings
    # By root: whether its values are certain.
    is_proved: NDArray[np.bool_]

    def policy(self, root: int, role: int) -> NDArray[np.float32]:
        """Return how good the arms of a role are in a root (by its index); they add up to 1."""
        first = self.offsets[root] + self.starts[root, role] - self.starts[root, 0]
        end = self.offsets[root] + self.starts[root, role + 1] - self.starts[root, 0]
        policy: NDArray[np.float32] = self.found.policy[first:end]
        return policy


def search_by_halving(
    forest: Forest,
    roots: NDArray[np.int64],
    budget: NDArray[np.int64],
    considered: int,
    chance: np.random.Generator,
    noise: float = 1.0,
) -> RootResults:
    """Search from roots of a forest, with a number of descents for each.

    `noise` scales what chance adds to the logarithms of priors; 0 searches the likeliest arms.
    """
    arrays = forest.arrays
    starts = arrays.starts[roots].copy()
    sizes = starts[:, -1] - starts[:, 0]
    arms = int(sizes.sum())
    count, roles = len(roots), starts.shape[1] - 1
    drawn = chance.gumbel(size=arms) * noise if noise else np.zeros(arms)
    halving = Halving(
        roots=roots,
        offsets=np.cumsum(sizes) - sizes,
        budget=budget,
        left=budget.copy(),
        rounds=np.zeros(count, np.int64),
        halvings=np.zeros(count, np.int64),
        sizes=np.zeros((count, roles), np.int64),
        noise=drawn.astype(np.float32),
        order=np.zeros(arms, np.int32),
        weights=np.zeros(arms),
    )
    most = count * considered
    nodes, forced = np.zeros(most, np.int64), np.zeros((most, roles), np.int32)
    while True:
        planned = plan_round(halving, considered, arrays.tree, forest.settings, nodes, forced)
        if not planned:
            break
        forest.grow(nodes[:planned], forced[:planned])
    found = RootFindings(
        np.zeros(arms, np.float32), np.zeros((count, roles), np.int32), np.zeros((count, roles))
    )
    conclude(halving, arrays.tree, forest.settings, found)
    is_proved = arrays.nodes['flags'][roots] & SOLVED != 0
    return RootResults(halving.offsets, starts, found, is_proved)
