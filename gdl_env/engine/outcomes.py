"""Who has won, by goals: one definition for any number of players, with and without teams.

A player wins if nobody has a higher goal and somebody has a lower one; it loses if somebody has a
higher one; if all goals are equal, it is a draw. So players who are best together have won
together: that is what a team is, even one that was only found while the game was played. A player
who is alone wins with 100 and loses with less.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

LOST, DRAWN, WON = -1, 0, 1


def outcome_of(own: int, others: Iterable[int]) -> int:
    """Return LOST, DRAWN or WON, by a player's goal and those of the others."""
    known = tuple(others)
    if not known:
        return WON if own >= 100 else LOST
    if own < max(known):
        return LOST
    return WON if own > min(known) else DRAWN


def outcomes(goals: NDArray[np.integer]) -> NDArray[np.int8]:
    """Return LOST, DRAWN or WON of each player of each game: goals are players by games."""
    if len(goals) == 1:
        return np.where(goals >= 100, WON, LOST).astype(np.int8)
    best, worst = goals.max(axis=0), goals.min(axis=0)
    top = np.where(best > worst, WON, DRAWN)
    return np.where(goals < best, LOST, top).astype(np.int8)
