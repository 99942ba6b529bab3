"""All that can be done in states, and where it leads: the children of many states at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.kernels.combinations import list_combinations
from gdl_agents.search.rules import NO_MOVE, Look, Rows, Rules, States

# Who moved last in a serial game is not known.
NOBODY = -1


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
    # How likely chance makes it, given the moves of the players.
    chance: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.parent)


def find_acting(
    rules: Rules, look: Look, mover: NDArray[np.int64] | None, last: NDArray[np.int64] | None
) -> NDArray[np.bool_]:
    """Tell who acts in each state: states by roles; nobody where the game is over.

    In a serial game one acts at a time: `random` if it has a move, else `mover` where that is
    known (not negative), else the next after `last` who has more to do than to pass.
    """
    has = (look.counts() > 0) & ~look.terminal[:, None]
    if not rules.is_serial:
        return has
    count = len(has)
    acting = np.zeros_like(has)
    nature = has[:, rules.nature] if rules.nature >= 0 else np.zeros(count, np.bool_)
    if rules.nature >= 0:
        acting[:, rules.nature] = nature
    able = has[:, rules.players] & ~nature[:, None]
    real = able & has_real_moves(rules, look)[:, rules.players]
    able = np.where(np.any(real, axis=1, keepdims=True), real, able)
    players = np.array(rules.players)
    before = np.full(count, NOBODY) if last is None else last
    seats = len(players)
    place = np.searchsorted(players, before) * (before >= 0) - (before < 0)
    order = (place[:, None] + 1 + np.arange(seats)) % seats
    first = np.take_along_axis(able, order, axis=1).argmax(axis=1)
    chosen = order[np.arange(count), first]
    if mover is not None:
        named = np.searchsorted(players, np.maximum(mover, 0))
        chosen = np.where(mover >= 0, named, chosen)
    rows = np.flatnonzero(able.any(axis=1))
    acting[rows, players[chosen[rows]]] = True
    return acting & has


def has_real_moves(rules: Rules, look: Look) -> NDArray[np.bool_]:
    """Tell which roles have a move besides `noop`: states by roles."""
    counts = look.counts()
    real = (~rules.are_noops(look.rows)).astype(np.int64)
    sums = np.concatenate([[0], np.cumsum(real)])
    found: NDArray[np.bool_] = (sums[look.starts[:, 1:]] - sums[look.starts[:, :-1]]) > 0
    return found & (counts > 0)


def expand(rules: Rules, states: States, look: Look, acting: NDArray[np.bool_]) -> Children:
    """Return all children of states in which some act; the others have none."""
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
    return Children(parent, legal, does, rules.step(states[parent], does), chance)


def _draw_all(
    rules: Rules,
    states: States,
    parent: NDArray[np.int64],
    legal: Rows,
    does: Rows,
    chance: NDArray[np.float64],
) -> tuple[NDArray[np.int64], Rows, Rows, NDArray[np.float64]]:
    """Replace moves that name experiments by all that may come of them, role by role."""
    for role in range(does.shape[1]):
        if not (does[:, role] == -2).any():
            continue
        outcomes = rules.outcomes(states[parent], legal[:, role])
        sizes = np.diff(outcomes.starts)
        parent = np.repeat(parent, sizes)
        legal, does = np.repeat(legal, sizes, axis=0), np.repeat(does, sizes, axis=0)
        chance = np.repeat(chance, sizes) * outcomes.weights
        does[:, role] = np.where(legal[:, role] >= 0, outcomes.does, NO_MOVE)
    return parent, legal, does, chance
