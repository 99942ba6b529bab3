"""Draws of moves and of the outcomes of experiments, in many states at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.contract import NO_MOVE, BatchGame, Look, Rows, States
from gdl_env.engine.batch.experiments import DRAWN


def sample_moves(
    rules: BatchGame, look: Look, acting: NDArray[np.bool_], chance: np.random.Generator
) -> Rows:
    """Draw a legal move for each role that acts: states by roles."""
    counts = look.counts()
    places = (chance.random(counts.shape) * counts).astype(np.int64)
    places = np.minimum(look.starts[:, :-1] + places, max(len(look.rows) - 1, 0))
    chosen = look.rows[places] if len(look.rows) else np.zeros(counts.shape, np.int32)
    drawn: Rows = np.where(acting & (counts > 0), chosen, NO_MOVE).astype(np.int32)
    return drawn


def draw_outcomes(
    rules: BatchGame, states: States, legal: Rows, chance: np.random.Generator
) -> Rows:
    """Return what is done for legal moves; experiments are drawn."""
    does = rules.plain(legal)
    if not rules.has_experiments:
        return does
    for role in range(does.shape[1]):
        rows = np.flatnonzero(does[:, role] == DRAWN)
        if not len(rows):
            continue
        outcomes = rules.outcomes(states[rows], legal[rows, role])
        sums = np.cumsum(outcomes.weights)
        before = np.concatenate([[0.0], sums])[outcomes.starts[:-1]]
        total = sums[outcomes.starts[1:] - 1] - before
        marks = before + chance.random(len(rows)) * total
        picked = np.searchsorted(sums, marks, side='right')
        picked = np.clip(picked, outcomes.starts[:-1], outcomes.starts[1:] - 1)
        does[rows, role] = outcomes.does[picked]
    return does
