"""Compiled loops that say whose turn it is, by the turn rules of `play.turn_order`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel
from gdl_env.play.turn_order import find_mover

# Who moved last: no role so far; not known.
NOBODY, UNKNOWN = -1, -2
# TurnRule.ROTATE and TurnRule.RANDOM, as constants of compiled code.
_ROTATE, _RANDOM = 0, 2


class LegalMoves(NamedTuple):
    """The legal moves of n states, as kernels read them."""

    # (n) whether the game is over.
    terminal: NDArray[np.bool_]
    # (n, roles + 1) the moves of role r in state i are rows[starts[i, r]:starts[i, r + 1]].
    starts: NDArray[np.int64]
    # (moves) places in `is_noop`.
    rows: NDArray[np.int32]
    # Whether a move is `noop`.
    is_noop: NDArray[np.bool_]


@compile_kernel(nogil=True)
def effective_rule(rule, last):
    """Return the rule as a player can apply it: RANDOM where it cannot know who moves.

    That is so for `first` and hooks, and for `rotate` if it is not known who moved last.
    """
    if rule > _RANDOM or (rule == _ROTATE and last == UNKNOWN):
        return _RANDOM
    return rule


@compile_kernel(nogil=True)
def find_able(rows, starts, is_noop, nature, able):
    """Mark the roles among which the turn rule chooses; return how many they are.

    `random` comes before all others, and roles with a move besides `noop` before those without.

    - rows, is_noop: as in LegalMoves
    - starts: (roles + 1) of one state
    - able: (roles) gets the result
    """
    roles = able.shape[0]
    able[:] = False
    if nature >= 0 and starts[nature + 1] > starts[nature]:
        able[nature] = True
        return 1
    for wants_real in range(1, -1, -1):
        count = 0
        for role in range(roles):
            for k in range(starts[role], starts[role + 1]):
                if not wants_real or not is_noop[rows[k]]:
                    able[role] = True
                    count += 1
                    break
        if count:
            return count
    return 0


@compile_kernel(nogil=True)
def find_movers(moves, nature, rule, last, words, acting):
    """Mark the role that moves in each state: (n, roles) `acting`.

    - last: (n) the role that moved last, NOBODY or UNKNOWN
    - words: (n) random, for rules by which the role is drawn
    """
    able = np.zeros(acting.shape[1], np.bool_)
    for i in range(acting.shape[0]):
        if moves.terminal[i]:
            continue
        if find_able(moves.rows, moves.starts[i], moves.is_noop, nature, able):
            known = effective_rule(rule, last[i])
            acting[i, find_mover(known, able, max(last[i], NOBODY), words[i])] = True


@compile_kernel(nogil=True)
def find_chances(moves, nature, rule, last, chances):
    """Say how likely each role is to move next in each state: (n, roles) `chances`."""
    able = np.zeros(chances.shape[1], np.bool_)
    for i in range(chances.shape[0]):
        if moves.terminal[i]:
            continue
        count = find_able(moves.rows, moves.starts[i], moves.is_noop, nature, able)
        if not count:
            continue
        known = effective_rule(rule, last[i])
        if known == _RANDOM:
            for role in range(chances.shape[1]):
                if able[role]:
                    chances[i, role] = 1.0 / count
        else:
            chances[i, find_mover(known, able, max(last[i], NOBODY), np.uint64(0))] = 1.0
