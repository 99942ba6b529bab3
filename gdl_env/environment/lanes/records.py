"""The arrays of a match in lanes, as compiled code takes them.

Letters in shapes: L lanes, P players, S seats (the players in order, then `random`), W words of a
state, V words of percepts, M words of legal moves.

A row of legal moves holds the seats one after the other, each on words of its own. The bits of a
player are its actions, so a player's mask is a part of the row as it is; the bits of `random` are
its moves in the order of the rules.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# What is done by a legal move: nothing that the rules know, or drawn first. A move to be drawn has
# the entry DRAWN - number, with its number in DrawTables.
UNKNOWN, DRAWN = -1, -2


class SeatTables(NamedTuple):
    """Whose moves lie where, and how play begins and continues. The same for every engine."""

    # int32 (S + 1): the first word of each seat in a row of legal moves.
    start: NDArray[np.int32]
    # int32 (S): the bit of `noop` among a seat's moves, -1 without one.
    noop: NDArray[np.int32]
    # uint64 (W), (M), (words of `possible`): the initial state, and what is possible there.
    initial: NDArray[np.uint64]
    first_legal: NDArray[np.uint64]
    first_possible: NDArray[np.uint64]
    # uint64 (P, V): the percepts that belong to each player.
    own_percepts: NDArray[np.uint64]
    # int64 (Number.COUNT), see Number.
    numbers: NDArray[np.int64]


class SeatNumber:
    """Places in `SeatTables.numbers`."""

    # Players; 1 if one role moves at a time; a TurnRule; steps that end an episode (0: none); how
    # many moves must be drawn; how many of the last facts are marks of values outside their range.
    PLAYERS, IS_SERIAL, TURN_RULE, MAX_STEPS, DRAWS, MARKS = range(6)
    COUNT = 6


class DrawTables(NamedTuple):
    """Moves that name experiments: which are drawn, and what is done then."""

    # int32 (64 · M): what is done by each bit of a row of legal moves; see UNKNOWN and DRAWN.
    plain: NDArray[np.int32]
    # int32 (moves to be drawn + 1): where the experiments of each begin in `experiment`.
    start: NDArray[np.int32]
    # int32: the experiments that a move names, one after the other.
    experiment: NDArray[np.int32]
    # int32 (moves to be drawn): where what is done begins in `does`. There, the events of the
    # experiments are digits, the last one the fastest.
    first: NDArray[np.int32]
    does: NDArray[np.int32]
    # int32 (experiments + 1): where the events of an experiment begin; events are sorted by it.
    events: NDArray[np.int32]
    # int32 (events): the row of the program `score` that tells whether an event can happen, and
    # its weight.
    event_row: NDArray[np.int32]
    weight: NDArray[np.int32]


class GoalTables(NamedTuple):
    """Whose goals the rows of `score` are."""

    # int32 (goals): the player, -1 for `random`; the value.
    player: NDArray[np.int32]
    value: NDArray[np.int32]


class ViewTables(NamedTuple):
    """Which bits each viewer is shown: the players in order, then the spectator."""

    # int32 (P + 2): where the entries of each viewer begin in `bit` and `column`.
    start: NDArray[np.int32]
    # int32: a bit of a state, or of percepts, and the entry of an observation that shows it.
    # Several bits may share an entry.
    bit: NDArray[np.int32]
    column: NDArray[np.int32]
    # int64 (1): 1 if viewers are shown percepts.
    numbers: NDArray[np.int64]


class LaneArrays(NamedTuple):
    """Where every lane is."""

    # uint64 (L, W), (L, V), (L, M): states, percepts since a player's last decision, legal moves.
    states: NDArray[np.uint64]
    seen: NDArray[np.uint64]
    legal: NDArray[np.uint64]
    # uint64 (L, words): what is possible in short, as bits. Bit 3 · seat + HAS, MANY or REAL: the
    # seat has a legal move, several, one besides `noop`. Bit 3 · S: the state is terminal.
    possible: NDArray[np.uint64]
    # bool (S, L), (P, L): who acts next, and for whom that is a decision.
    acts: NDArray[np.bool_]
    decides: NDArray[np.bool_]
    # bool (L): whether the lane has an episode to play.
    is_open: NDArray[np.bool_]
    # int64 (L): episodes to begin after this one (-1: without end), steps of this one, the player
    # that moved last (-1: none, or roles move together), the episode's number from 1.
    left: NDArray[np.int64]
    steps: NDArray[np.int64]
    last: NDArray[np.int64]
    episode: NDArray[np.int64]
    # bool (L): lanes that are left alone in this tick; lanes that end by an illegal answer.
    held: NDArray[np.bool_]
    punished: NDArray[np.bool_]


class Scratch(NamedTuple):
    """Room for the lists of a tick."""

    # int32 (L) each: lanes that play on, lanes to step, lanes that end.
    work: NDArray[np.int32]
    stepping: NDArray[np.int32]
    ending: NDArray[np.int32]
    # int32 (S, L): the bit each seat chose, -1 where it does not act.
    chosen: NDArray[np.int32]
    # int32 (S, L): what is done by it, where that was drawn.
    does: NDArray[np.int32]
    # int32 (P, L): the actions of a tick.
    given: NDArray[np.int32]
    # uint64 (L): what is possible where the game is not over.
    able: NDArray[np.uint64]


class ResultArrays(NamedTuple):
    """What happened in a tick. Where no lane ended, goals and final rows are not filled in.

    Last states may be kept as blocks, and become rows when they are asked for: Lanes.final_rows.
    Python sees these arrays as a TickResult.
    """

    # bool (S, L), int32 (P, L): who acted on the decisions of the tick, and the actions played.
    acting: NDArray[np.bool_]
    action: NDArray[np.int32]
    # bool (L): lanes whose episode ended, and those that ended otherwise than by being cut off.
    ended: NDArray[np.bool_]
    terminated: NDArray[np.bool_]
    # int16 (P, L): goals, -1 where there is none.
    goals: NDArray[np.int16]
    # uint64 (L, W), (L, V): the last state and percepts of lanes that ended.
    final_states: NDArray[np.uint64]
    final_seen: NDArray[np.uint64]
    # uint64 (B, F · w), (B, w): last states as blocks, and the lanes that have no row yet; see
    # `blocks/records.py`. Empty for lanes that are never played as blocks.
    final_bits: NDArray[np.uint64]
    final_lanes: NDArray[np.uint64]
