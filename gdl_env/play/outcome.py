"""Who has won, by goals: one definition for any number of players, with and without teams.

A player wins if no player has a higher goal and some player has a lower one; it loses if some
player has a higher one; if all goals are equal, it is a draw. So players who are best together
have won together: that is what a team is, even one that was only found while the game was played.
A player who is alone wins with 100 and loses with less.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel

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


# Columns of what `count_outcomes` counts for each player.
WINS, DRAWS, LOSSES, GOALS = range(4)


@compile_kernel(nogil=True)
def count_outcomes(goals, ended, counts):
    """Add up how games ended; return how many there are, and how many without a result.

    - goals: (players, games) int16, negative for none; ended: (games) bool, which of them count
    - counts: (players, 4) int64; see WINS
    """
    players, games = goals.shape
    best, worst = goals[0].copy(), goals[0].copy()
    for player in range(1, players):
        for game in range(games):
            best[game] = max(best[game], goals[player, game])
            worst[game] = min(worst[game], goals[player, game])
    finished = np.int32(0)
    count = np.int32(0)
    scored = np.empty(games, np.int16)
    for game in range(games):
        finished = np.int32(finished + ended[game])
        scored[game] = ended[game] & (worst[game] >= 0)
        count = np.int32(count + scored[game])
    # Sums without branches, which could not be predicted: compilers make wide loops of them, the
    # wider the shorter the numbers.
    for player in range(players):
        total, wins, losses = np.int32(0), np.int32(0), np.int32(0)
        own = goals[player]
        for game in range(games):
            total = np.int32(total + np.int16(scored[game] * own[game]))
        if players == 1:
            for game in range(games):
                wins = np.int32(wins + np.int16(scored[game] & (own[game] >= 100)))
            losses = np.int32(count - wins)
        else:
            for game in range(games):
                is_best = (own[game] == best[game]) & (own[game] > worst[game])
                wins = np.int32(wins + np.int16(scored[game] & is_best))
                losses = np.int32(losses + np.int16(scored[game] & (own[game] < best[game])))
        counts[player, GOALS] += total
        counts[player, WINS] += wins
        counts[player, LOSSES] += losses
        counts[player, DRAWS] += count - wins - losses
    return np.int64(finished), np.int64(finished - count)
