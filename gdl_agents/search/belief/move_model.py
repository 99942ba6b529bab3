"""How likely moves of others are, where something is known about how they play."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.contract import BatchGame, Look, Rows, States


class MoveModel(Protocol):
    """Says how likely players choose their moves."""

    def find_chances(self, role: int, states: States, look: Look) -> NDArray[np.float64]:
        """Return how likely each legal move of a role is: one number for each of `look.rows`.

        Those of the role in a state add up to 1; the entries of other roles are not read.
        """
        ...


def rate_moves(
    rules: BatchGame, model: MoveModel | None, states: States, look: Look, legal: Rows, role: int
) -> NDArray[np.float64]:
    """Return how likely moves, states by roles, are.

    Those of chance and of the player itself, `role`, are equally likely; so are all without a
    model.
    """
    counts = look.counts()
    likely = np.ones(len(legal))
    for other in range(legal.shape[1]):
        acts = legal[:, other] >= 0
        if model is None or other in (rules.nature, role):
            likely[acts] /= np.maximum(counts[acts, other], 1)
            continue
        chances = model.find_chances(other, states, look)
        places = find_places(look, other, legal[:, other])
        likely[acts] *= np.where(places >= 0, chances[places], 0.0)[acts]
    return likely


def list_moves(
    look: Look, role: int | NDArray[np.intp]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all legal moves of a role, the same or one for each state: state, place in `rows`."""
    every = np.arange(len(look.terminal))
    first = look.starts[every, role]
    counts = look.starts[every, np.asarray(role) + 1] - first
    owner = np.repeat(every, counts)
    ends = np.cumsum(counts)
    return owner, np.arange(len(owner)) + np.repeat(first - (ends - counts), counts)


def find_places(look: Look, role: int, rows: Rows) -> NDArray[np.int64]:
    """Return where the move of a role in each state stands in `look.rows`; -1: it is not legal."""
    owner, places = list_moves(look, role)
    hits = look.rows[places] == rows[owner]
    found = np.full(len(rows), -1, np.int64)
    found[owner[hits]] = places[hits]
    return found


def pick_marked(
    owner: NDArray[np.int64], marked: NDArray[np.bool_], count: int, chance: np.random.Generator
) -> NDArray[np.int64]:
    """Draw one of the marked entries of each owner, in rising order of owners; -1 for none."""
    entries = np.flatnonzero(marked)
    sizes = np.bincount(owner[entries], minlength=count)
    drawn = (chance.random(count) * sizes).astype(np.int64) + np.cumsum(sizes) - sizes
    found = np.full(count, -1, np.int64)
    found[sizes > 0] = entries[drawn[sizes > 0]]
    return found
