"""Ratings from a table of results: Elo numbers that make them most likely."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Rating points for which the odds are ten to one.
_SCALE = 400.0
# A draw that nobody played, between all that met: who won every game is not infinitely better.
_PRIOR = 1.0
_ROUNDS = 2_000


def expected_score(difference: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of points of a player that is so much stronger."""
    return np.asarray(1 / (1 + 10 ** (-np.asarray(difference) / _SCALE)), np.float64)


def fit_elo(score: NDArray[np.float64], games: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rating of each player; the first one has 0.

    `score[i, j]` is the share of points of i against j in `games[i, j]` games (0: they never met).
    Strengths are found as Hunter (2004) does, by a majorisation that always comes closer.
    """
    met = games > 0
    weight = np.where(met, games + _PRIOR, 0.0)
    points = np.where(met, score * games + _PRIOR / 2, 0.0).sum(axis=1)
    strength = np.ones(len(score))
    for _ in range(_ROUNDS):
        share = weight / (strength[:, None] + strength[None, :])
        new = points / np.maximum(share.sum(axis=1), 1e-12)
        new /= new[0]
        if np.allclose(new, strength, rtol=1e-9):
            break
        strength = new
    rating: NDArray[np.float64] = _SCALE * np.log10(np.maximum(strength, 1e-12))
    return rating
