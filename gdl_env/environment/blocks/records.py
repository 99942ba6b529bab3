"""Lanes as the circuit computes with them: blocks of 64 · w lanes, a row of w words for each bit.

Ticks in which every decision has a legal answer, the usual ones, are played on blocks: nothing is
turned over but what learners are shown. All other ticks, and whoever looks at a single lane, work
on rows (LaneArrays); `Blocks` keeps the two in step.

Lanes that play on without a decision are packed into fewer blocks, the spare ones, which come
after those of all lanes: see `packing.py`.

Letters in shapes: B blocks, X spare ones, A = B + X, w words of a row, F facts, R legal moves,
K = 3 · S + 1 bits of what is possible, and those of `lanes/records.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.handles import int_line, ints, long_line, word_line, words


class BlockArrays(NamedTuple):
    """Where the lanes of each block are."""

    # uint64 (A, F · w), (A, R · w), (A, K · w): states, legal moves in the order of the rules, and
    # what is possible in short (see LaneArrays).
    state: NDArray[np.uint64]
    legal: NDArray[np.uint64]
    possible: NDArray[np.uint64]
    # uint64 (A, S · w), (A, P · w), (A, P · w): who acts, who decides, who moved last.
    acts: NDArray[np.uint64]
    decides: NDArray[np.uint64]
    last: NDArray[np.uint64]
    # uint64 (A, w): which lanes have an episode.
    is_open: NDArray[np.uint64]
    # uint64 (B, w): which lanes are left alone in this tick.
    held: NDArray[np.uint64]
    # uint64 (B, R · w): the moves that players choose in this tick; (B, 0) for many actions.
    chosen: NDArray[np.uint64]
    # uint64 (X, F · w): the last states of lanes that ended in a spare block.
    kept: NDArray[np.uint64]
    # uint64 (X, F · w): the states of a spare block when lanes were packed into it.
    before: NDArray[np.uint64]
    # int32 (X, 64 · w): the lanes in a spare block.
    lane: NDArray[np.int32]
    # int32 (1, 1): passes that lanes without a decision took in recent ticks, in sixteenths.
    passes: NDArray[np.int32]


class TurnRows(NamedTuple):
    """Lanes of a block that have moved, while it is found who acts next: flat uint64."""

    # (w): those whose episode continues; those with a decision.
    goes: NDArray[np.uint64]
    deciding: NDArray[np.uint64]
    # (S · w), (P · w): who moves, and who could.
    movers: NDArray[np.uint64]
    able: NDArray[np.uint64]
    # (w) each: written over again and again.
    room: NDArray[np.uint64]
    more: NDArray[np.uint64]
    rest: NDArray[np.uint64]


class TickMasks(NamedTuple):
    """Lanes of a tick, each (A, w) uint64; and room for what is computed on the way.

    They are opened where they are needed: to pass a record takes longer than to look at a row.
    """

    # Those that move in this pass, that play on without a decision, that are left to rows, and
    # that have ended in this tick.
    acting: NDArray[np.uint64]
    quiet: NDArray[np.uint64]
    late: NDArray[np.uint64]
    gone: NDArray[np.uint64]
    # uint64 (3, w): those that have moved, that end, and that begin again in this pass. Before
    # that, it is written over again and again.
    room: NDArray[np.uint64]


class BlockTables(NamedTuple):
    """What legal moves mean, by their rows; rows of a role lie side by side."""

    # int32 (2 · S): the first row of each seat, and the row behind its last.
    seat: NDArray[np.int32]
    # int32 (S): the row of `noop`, -1 without one.
    noop: NDArray[np.int32]
    # int32 (R): what is done by a move.
    does: NDArray[np.int32]
    # int32 (R): the bit of each move among those of its seat, see SeatLayout.
    bit: NDArray[np.int32]
    # int32 (P, A): the row of each action, -1 for none, and what is done by it.
    row: NDArray[np.int32]
    done: NDArray[np.int32]
    # int32 (R): the row of the program `look` that tells whether a move is legal.
    legal: NDArray[np.int32]
    # uint64 (F · w), (R · w), (K · w): the initial state and what is possible there, in all lanes.
    initial: NDArray[np.uint64]
    first_legal: NDArray[np.uint64]
    first_possible: NDArray[np.uint64]
    # int64 (4): words of a row; how many lanes of a block must have a decision for the block to be
    # played as a whole; what a pass over a block takes, and what it takes to pack lanes of a block
    # and to lay them back.
    numbers: NDArray[np.int64]


class Sheet(NamedTuple):
    """Which rows of a block make up the bits that players are shown: observations, or masks."""

    # int32: a row of the block, and the entry it is shown as; sorted by player, then by entry.
    # What is the same for all players, unless everything is, comes last. Several rows may share an
    # entry.
    bit: NDArray[np.int32]
    column: NDArray[np.int32]
    # int32 (P + 1, words + 1): where 64 entries of a player, and of all, begin in `bit` and
    # `column`.
    start: NDArray[np.int32]
    # int32 (P): the first player who is shown the same as this one.
    viewer: NDArray[np.int32]
    # int64 (1): how many entries there are.
    size: NDArray[np.int64]


WIDTH, MANY_LANES, PASS_TIME, PACK_TIME = range(4)

# The entries of a handle of these records.
_TABLES = len(BlockArrays._fields)
_VIEWS = _TABLES + len(BlockTables._fields)
_MASKS = _VIEWS + len(Sheet._fields)
_TICK = _MASKS + len(Sheet._fields)
_TURNS = _TICK + len(TickMasks._fields)


@compile_kernel(nogil=True)
def open_blocks(handle):
    """Return the BlockArrays of a handle."""
    return BlockArrays(
        words(handle, 0),
        words(handle, 1),
        words(handle, 2),
        words(handle, 3),
        words(handle, 4),
        words(handle, 5),
        words(handle, 6),
        words(handle, 7),
        words(handle, 8),
        words(handle, 9),
        words(handle, 10),
        ints(handle, 11),
        ints(handle, 12),
    )


@compile_kernel(nogil=True, inline='always', makes_arrays=False)
def lane_at(blocks, block, place):
    """Return the lane at a place, 0 to 64 · w, of a block."""
    home = blocks.held.shape[0]
    if block < home:
        return block * 64 * blocks.held.shape[1] + place
    return np.int64(blocks.lane[block - home, place])


@compile_kernel(nogil=True)
def open_tables(handle):
    """Return the BlockTables of a handle."""
    e = _TABLES
    return BlockTables(
        int_line(handle, e),
        int_line(handle, e + 1),
        int_line(handle, e + 2),
        int_line(handle, e + 3),
        ints(handle, e + 4),
        ints(handle, e + 5),
        int_line(handle, e + 6),
        word_line(handle, e + 7),
        word_line(handle, e + 8),
        word_line(handle, e + 9),
        long_line(handle, e + 10),
    )


@compile_kernel(nogil=True)
def open_views(handle):
    """Return the Sheet of observations: rows of states."""
    return _open_sheet(handle, _VIEWS)


@compile_kernel(nogil=True)
def open_masks(handle):
    """Return the Sheet of masks: rows of legal moves."""
    return _open_sheet(handle, _MASKS)


@compile_kernel(nogil=True)
def _open_sheet(handle, e):
    return Sheet(
        int_line(handle, e),
        int_line(handle, e + 1),
        ints(handle, e + 2),
        int_line(handle, e + 3),
        long_line(handle, e + 4),
    )


@compile_kernel(nogil=True)
def open_tick(handle):
    """Return the TickMasks of a handle."""
    e = _TICK
    return TickMasks(
        words(handle, e),
        words(handle, e + 1),
        words(handle, e + 2),
        words(handle, e + 3),
        words(handle, e + 4),
    )


@compile_kernel(nogil=True)
def open_turns(handle):
    """Return the TurnRows of a handle."""
    e = _TURNS
    return TurnRows(
        word_line(handle, e),
        word_line(handle, e + 1),
        word_line(handle, e + 2),
        word_line(handle, e + 3),
        word_line(handle, e + 4),
        word_line(handle, e + 5),
        word_line(handle, e + 6),
    )
