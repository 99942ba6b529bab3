"""Rows of the two tables, from games that were played."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.data.columns import OFFSETS, DataColumn, Table, packed
from gdl_agents.data.recorder import DecisionRows, EndRows, Numbers


@dataclass(frozen=True)
class DataSizes:
    """How wide the vectors of a game are."""

    roles: int
    facts: int
    entries: int
    actions: int


def position_columns(sizes: DataSizes) -> tuple[DataColumn, ...]:
    """Return the columns of positions: one row for each decision."""
    return (
        DataColumn('game', 'int64', 'the game it belongs to'),
        DataColumn('step', 'int32', 'ticks of the game before it'),
        DataColumn('player', 'int8', 'whose decision it is: a number in the list of roles'),
        packed('state', sizes.facts, 'the whole state, hidden facts too: a bit for each fact'),
        packed('observation', sizes.entries, 'what this player sees of it'),
        packed('legal', sizes.actions, 'its legal actions'),
        DataColumn('action', 'int32', 'the action that was played'),
        DataColumn(
            'is_extra', 'bool', 'whether a random move took the place of one of the player'
        ),
        DataColumn('goals', 'int16', 'how the game ended for each role', (sizes.roles,)),
        DataColumn('reward', 'float32', 'how it ended for this player, as a reward'),
    )


def game_columns(sizes: DataSizes) -> tuple[DataColumn, ...]:
    """Return the columns of games: one row for each ending."""
    return (
        DataColumn('game', 'int64', 'its number'),
        DataColumn('origin', 'int64', 'the random state, or the game, whose ending it is'),
        DataColumn('seating', 'int32', 'who played: a number in the list of seatings'),
        DataColumn('start', 'int32', 'the step at which its own positions begin'),
        DataColumn('length', 'int32', 'its ticks, from the initial state on'),
        DataColumn('terminated', 'bool', 'whether the rules ended it; otherwise it was cut off'),
        DataColumn('goals', 'int16', 'how it ended for each role', (sizes.roles,)),
        packed('final_state', sizes.facts, 'its last state'),
        packed('final_observation', sizes.entries, 'what each role sees of it', (sizes.roles,)),
        *sequence_columns(),
    )


def sequence_columns() -> tuple[DataColumn, ...]:
    """Return the columns that hold sequences of actions."""
    return (
        DataColumn('actions', 'int32', 'all decisions in their order', is_list=True),
        DataColumn('players', 'int8', 'whose decisions they were', is_list=True),
        DataColumn('steps', 'int32', 'at which steps: the same if made together', is_list=True),
    )


@dataclass(frozen=True)
class Endings:
    """Games that lanes played to their end, one in each of some lanes."""

    # Those that were recorded, and those before the recording began.
    decisions: DecisionRows
    ends: EndRows
    before: DecisionRows | None
    # By lane: the game's number and origin, the step at which its own positions begin.
    game: Numbers
    origin: Numbers
    start: Numbers
    seating: int
    # By row of `decisions`: whether a random move took the place of the player's.
    is_extra: NDArray[np.bool_]


def to_positions(endings: Endings) -> Table:
    """Return the rows of positions, those before the start left out."""
    ends, lanes = endings.ends, len(endings.game)
    place = np.full(lanes, -1)
    place[ends.lane] = np.arange(len(ends.lane))
    found = endings.decisions
    own = (found.step >= endings.start[found.lane]) & (place[found.lane] >= 0)
    rows, end = found.select(own), place[found.lane[own]]
    return {
        'game': endings.game[rows.lane].astype(np.int64),
        'step': rows.step.astype(np.int32),
        'player': rows.player.astype(np.int8),
        'state': rows.state,
        'observation': rows.observation,
        'legal': rows.legal,
        'action': rows.action,
        'is_extra': endings.is_extra[own],
        'goals': ends.goals[end],
        'reward': ends.reward[end, rows.player],
    }


def to_games(endings: Endings) -> Table:
    """Return the rows of games."""
    ends, rows = endings.ends, endings.decisions
    lane, step = rows.lane, rows.step
    player, action = rows.player, rows.action
    if endings.before is not None:
        before = endings.before
        lane, step = np.concatenate([before.lane, lane]), np.concatenate([before.step, step])
        player = np.concatenate([before.player, player])
        action = np.concatenate([before.action, action])
    order = np.lexsort((player, step, lane))
    order = order[np.isin(lane[order], ends.lane)]
    sizes = np.bincount(lane[order], minlength=len(endings.game))[ends.lane]
    return {
        'game': endings.game[ends.lane].astype(np.int64),
        'origin': endings.origin[ends.lane].astype(np.int64),
        'seating': np.full(len(ends.lane), endings.seating, np.int32),
        'start': endings.start[ends.lane].astype(np.int32),
        'length': ends.length.astype(np.int32),
        'terminated': ends.terminated,
        'goals': ends.goals,
        'final_state': ends.state,
        'final_observation': ends.observation,
        OFFSETS: np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        'actions': action[order].astype(np.int32),
        'players': player[order].astype(np.int8),
        'steps': step[order].astype(np.int32),
    }
