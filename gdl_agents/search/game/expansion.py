"""All that can be done in states, and where it leads: the children of many states at once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.game.combinations import list_combinations
from gdl_env.engine.batch.contract import NO_MOVE, BatchGame, Look, Rows, States
from gdl_env.engine.batch.experiments import DRAWN


@dataclass(frozen=True)
class Children:
    """The successors of states: one for each combination of moves and each outcome of chance."""

    # The index of the state before, in rising order.
    parent: NDArray[np.int64]
    # The legal moves that were chosen: children by roles, NO_MOVE for those who did not act.
    legal: Rows
    # What was done.
    does: Rows
    states: States
    # How likely chance makes it, given the moves of the players; where the role that moves is
    # drawn, that is part of it.
    chance: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.parent)


@dataclass(frozen=True)
class KnownChildren(Children):
    """The same with what is known of the successors at once."""

    look: Look
    # States by roles; -1 where the game is not over, or where the rules give no goal.
    goals: NDArray[np.int16]


def expand_turns(
    rules: BatchGame, states: States, look: Look, chances: NDArray[np.float64]
) -> KnownChildren:
    """Return all children of states, whichever role moves: see `TurnOrder.find_chances`."""
    if not rules.is_serial:
        return expand_known(rules, states, look, chances > 0)
    # One entry for each state and each role that may move in it.
    parent, role = np.nonzero(chances > 0)
    acting = np.zeros((len(parent), chances.shape[1]), np.bool_)
    acting[np.arange(len(parent)), role] = True
    part = Look(look.terminal[parent], look.starts[parent], look.rows)
    found = expand_known(rules, states[parent], part, acting)
    likely = found.chance * chances[parent, role][found.parent]
    return replace(found, parent=parent[found.parent], chance=likely)


def expand(rules: BatchGame, states: States, look: Look, acting: NDArray[np.bool_]) -> Children:
    """Return all children of states in which roles act; states in which none does have none."""
    parent, legal, does, chance = list_children(rules, states, look, acting)
    return Children(parent, legal, does, rules.step(states[parent], does), chance)


def expand_known(
    rules: BatchGame, states: States, look: Look, acting: NDArray[np.bool_]
) -> KnownChildren:
    """Return all children of states in which roles act, and what is possible in them."""
    parent, legal, does, chance = list_children(rules, states, look, acting)
    found = rules.follow(states, parent, does)
    return KnownChildren(parent, legal, does, found.states, chance, found.look, found.goals)


def list_children(
    rules: BatchGame, states: States, look: Look, acting: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], Rows, Rows, NDArray[np.float64]]:
    """Return how children come about: the fields of `Children` but for the states."""
    counts = np.where(acting, look.counts(), 1)
    sizes = counts.prod(axis=1) * acting.any(axis=1)
    total = int(sizes.sum())
    parent = np.empty(total, np.int64)
    legal = np.full((total, len(rules.roles)), NO_MOVE, np.int32)
    list_combinations(look.starts, look.rows, acting, parent, legal)
    chance = np.ones(total)
    if rules.nature >= 0:
        acts = acting[parent, rules.nature]
        chance = np.where(acts, 1.0 / np.maximum(counts[parent, rules.nature], 1), 1.0)
    does = rules.plain(legal)
    if rules.has_experiments:
        parent, legal, does, chance = _draw_all(rules, states, parent, legal, does, chance)
    return parent, legal, does, chance


def _draw_all(
    rules: BatchGame,
    states: States,
    parent: NDArray[np.int64],
    legal: Rows,
    does: Rows,
    chance: NDArray[np.float64],
) -> tuple[NDArray[np.int64], Rows, Rows, NDArray[np.float64]]:
    """Replace moves that name experiments by all that may come of them, role by role."""
    for role in range(does.shape[1]):
        if not (does[:, role] == DRAWN).any():
            continue
        outcomes = rules.outcomes(states[parent], legal[:, role])
        sizes = np.diff(outcomes.starts)
        parent = np.repeat(parent, sizes)
        legal, does = np.repeat(legal, sizes, axis=0), np.repeat(does, sizes, axis=0)
        chance = np.repeat(chance, sizes) * outcomes.weights
        does[:, role] = np.where(legal[:, role] >= 0, outcomes.does, NO_MOVE)
    return parent, legal, does, chance
