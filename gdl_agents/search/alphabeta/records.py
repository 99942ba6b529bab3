"""The arrays of alpha-beta search, as compiled loops take them: what each holds, and its shape.

Sizes: F facts, L rows of legal moves, R roles, P plies (steps from the root), M places of the
table of positions. Passing an array to a compiled function costs a reference count, so what
belongs together is one array of structures.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# The second index of `Plies.parts`: moves of the player and its partners, of all others together,
# of chance; then one for each role, from FIRST_ROLE on.
OWN, OTHERS, CHANCE, FIRST_ROLE = 0, 1, 2, 3
# Kinds of values in the table of positions.
EXACT, LOWER, UPPER = 0, 1, 2

# One ply on the way from the root to the position that is searched.
PLY = np.dtype(
    [
        # The window: values outside of it make no difference.
        ('alpha', np.float64),
        ('beta', np.float64),
        # The best value of an own move so far, and the least that others leave of the one that is
        # tried now.
        ('best', np.float64),
        ('least', np.float64),
        # The means so far, over draws of chance and over the roles that may be the one to move.
        ('chance_mean', np.float64),
        ('turn_mean', np.float64),
        # Which of these roles moves now, and how many they are.
        ('turn', np.int64),
        ('turns', np.int64),
        # How many positions had been estimated before.
        ('estimates', np.int64),
        # The hash of the position.
        ('hash', np.uint64),
        # The length of the trail, to which to undo.
        ('trail', np.int64),
        # The role that moved last.
        ('last', np.int64),
    ]
)

# The moves of a part of those who act in a ply.
PART = np.dtype(
    [
        # Which one is played now, how many there are, and the best so far (-1 for none).
        ('now', np.int64),
        ('count', np.int64),
        ('best', np.int64),
    ]
)

# A legal move.
MOVE = np.dtype(
    [
        ('role', np.int64),
        # The row of what is done.
        ('does', np.int64),
        ('is_noop', np.bool_),
    ],
    align=True,
)

# A goal of a role.
GOAL = np.dtype(
    [
        # Where the tape leaves whether it holds.
        ('slot', np.int64),
        ('role', np.int64),
        ('value', np.int64),
    ]
)

# A position that was met.
POSITION = np.dtype(
    [
        ('hash', np.uint64),
        ('value', np.float64),
        # How deep it was searched.
        ('depth', np.int32),
        # EXACT, or a bound: LOWER or UPPER.
        ('kind', np.int32),
        # The row of the move that decided it, -1 for none.
        ('favourite', np.int32),
        # 1 if the value rests on estimates.
        ('is_estimate', np.int32),
    ]
)

# What a search has found out.
FINDINGS = np.dtype(
    [
        # Positions that were met, and the depth that was finished.
        ('nodes', np.int64),
        ('depth', np.int64),
        # Whether nothing was estimated; whether it was cut short.
        ('is_exact', np.bool_),
        ('is_cut', np.bool_),
    ],
    align=True,
)


class Networks(NamedTuple):
    """Addresses of the engine's networks for single states."""

    # The state of the search, with the trail of its changes.
    now: int
    # What moves change.
    learned: int
    # Legal moves.
    legal: int


class GameTables(NamedTuple):
    """What stays the same while a position is searched: the rules, and who searches."""

    # (F) nodes of the network that hold the facts after a step.
    after: NDArray[np.int32]
    # (L) nodes that say that a move is legal.
    legal: NDArray[np.int32]
    # (L) MOVE.
    moves: NDArray[Any]
    # (F + 3 + R) random words: of facts, of the search, of who moved last.
    marks: NDArray[np.uint64]
    # The node that says that the game is over.
    terminal: int
    # The role of chance, -1 for none.
    nature: int
    is_serial: bool
    # F.
    facts: int
    # The TurnRule of the match.
    rule: int
    # The role that is searched for.
    player: int
    # (R) whether a role has the same goal as the player, which is left out.
    are_partners: NDArray[np.bool_]


class Scoring(NamedTuple):
    """What a position is worth: the tape that finds goals, and weights that estimate."""

    # The tape, of the engine; its memory has one word a slot, of which one bit is used.
    places: NDArray[np.uint32]
    runs: NDArray[np.int32]
    feedback: NDArray[np.int32]
    data: NDArray[np.uint64]
    # (goals) GOAL.
    goals: NDArray[Any]
    # (F + 1) the weight of each fact and a constant; or (0).
    weights: NDArray[np.float64]


class Plies(NamedTuple):
    """The way from the root to the position that is searched, ply by ply."""

    # (P) PLY.
    plies: NDArray[Any]
    # (P, FIRST_ROLE + R) PART.
    parts: NDArray[Any]
    # (room) rows of legal moves, of one ply after the other.
    rows: NDArray[np.int32]
    # (P, R + 1) the moves of role r are rows[starts[ply, r]:starts[ply, r + 1]].
    starts: NDArray[np.int64]
    # (R) rows of what is done, and (R) which roles act: to work with.
    moves: NDArray[np.int64]
    acting: NDArray[np.bool_]
    # (L) how often a move decided, by how deep that was.
    history: NDArray[np.int64]


class Searched(NamedTuple):
    """All that one search works on."""

    networks: Networks
    game: GameTables
    scoring: Scoring
    # (M) POSITION, by hashes; later ones replace earlier ones. M is a power of 2.
    memory: NDArray[Any]
    plies: Plies
