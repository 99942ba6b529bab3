"""The arrays of alpha-beta search by whole families, as compiled loops take them.

A family is all children of a position. Sizes: P plies, C children of a family at most, W words of
a state, R roles, L rows of legal moves, F facts, B lanes: states that one pass of the rules takes,
M legal moves of a family at most, T places of the table of positions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.successor_kernels import SuccessorTables


class Families(NamedTuple):
    """The families on the way to the position that is searched, ply by ply.

    Family 0 has one member, the root; family p + 1 are the children of a member of family p.
    """

    # (P, C, W) the states.
    states: NDArray[np.uint64]
    # (P, C, R + 1) the moves of role r of member i are those of rows[p] from starts[p, i, r] to
    # starts[p, i, r + 1].
    starts: NDArray[np.int64]
    # (P, M) rows of legal moves.
    rows: NDArray[np.int32]
    # (P, C) whether the game is over, and (P, C, R) the goals then, -1 without one.
    terminal: NDArray[np.bool_]
    goals: NDArray[np.int16]
    # (P, C) hashes of positions, and the sums of the weights of their facts.
    hashes: NDArray[np.uint64]
    sums: NDArray[np.float64]
    # (P, C) the row of the move that led to a member.
    moves: NDArray[np.int32]
    # (P, C) the members in the order in which they are tried, and what decides it.
    order: NDArray[np.int64]
    ranks: NDArray[np.int64]


class Lanes(NamedTuple):
    """A pass of the rules: positions, and what is done there."""

    # (B) the parent of each lane among the members of a family, and (B, R) what is done.
    parents: NDArray[np.int64]
    does: NDArray[np.int32]
    # (B, W) the states after, where they are needed, and (B, words) their legal moves as bits.
    found: NDArray[np.uint64]
    bits: NDArray[np.uint64]
    # (B) bool and (B, R): ends and goals.
    terminal: NDArray[np.bool_]
    goals: NDArray[np.int16]
    # (C) what members of a family are worth so far, and whether that rests on estimates.
    values: NDArray[np.float64]
    estimated: NDArray[np.bool_]


class FamilySearched(NamedTuple):
    """All that one search works on."""

    tables: SuccessorTables
    families: Families
    lanes: Lanes
    # (T) POSITION of `records`, by hashes; T is a power of 2.
    memory: NDArray[Any]
    # (L) how often a move decided, by how deep that was.
    history: NDArray[np.int64]
    # (L) rows of what is done by each legal move.
    plain: NDArray[np.int32]
    # (F + 1) random words: of facts, and of the search.
    marks: NDArray[np.uint64]
    # (F + 1) the weight of each fact and a constant; or (0).
    weights: NDArray[np.float64]
    # (R) the roles whose goal counts: the player and its partners.
    is_own: NDArray[np.bool_]
    # The role that is searched for; the role of chance, -1 for none.
    player: int
    nature: int
    # (1) FINDINGS of `records`.
    findings: NDArray[Any]
    # (1) whether the game turned out to be none for this search.
    is_unfit: NDArray[np.bool_]
    # Positions at most.
    limit: int
