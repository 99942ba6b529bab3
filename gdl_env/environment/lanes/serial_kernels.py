"""Whose turn it is where one role moves at a time, and what is possible in a lane.

Like `turn_kernels`, for lanes as rows.
"""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.circuit.network.possible import HAS, KINDS, MANY, REAL
from gdl_env.environment.lanes.match_handle import (
    open_lanes,
    open_result,
    open_scratch,
    open_seats,
)
from gdl_env.environment.lanes.records import SeatNumber
from gdl_env.play.chance import TURN_SEAT, place_of, word_at
from gdl_env.play.turn_order import TurnRule, find_mover

_RULE, _MAX_STEPS = SeatNumber.TURN_RULE, SeatNumber.MAX_STEPS
_FIRST, _RANDOM = int(TurnRule.FIRST), int(TurnRule.RANDOM)
_ONE = np.uint64(1)


@compile_kernel(nogil=True, makes_arrays=False)
def is_possible(possible, lane, bit):
    """Tell whether a bit of what is possible in a lane is set; see LaneArrays."""
    return (possible[lane, bit >> 6] >> np.uint64(bit & 63)) & _ONE != np.uint64(0)


@compile_kernel(nogil=True, makes_arrays=False)
def step_of(steps, ended, lane):
    """Return the number of a lane's next step, for its chance.

    A tick may end an episode and begin another: their draws must not be the same.
    """
    return 2 * steps[lane] + ended[lane]


@compile_kernel(nogil=True, makes_arrays=False)
def is_stuck(possible, lane):
    """Tell whether no seat has a move, in a state that is not terminal."""
    found = np.uint64(0)
    for word in range(possible.shape[1]):
        found |= possible[lane, word]
    return found == np.uint64(0)


@compile_kernel(nogil=True, makes_arrays=False)
def is_over(possible, is_open, steps, lane, limit, seats):
    """Tell whether no role can act in a lane."""
    if not is_open[lane] or (limit > 0 and steps[lane] >= limit):
        return True
    return is_possible(possible, lane, KINDS * seats) or is_stuck(possible, lane)


@compile_kernel(nogil=True)
def take_serial_turns(handle, count, key):
    """Let one role act: `random` while it has a move, else the player of the turn rule.

    Returns how many lanes of the work list play on by themselves, and keeps those.
    """
    seats, lanes, work = open_seats(handle), open_lanes(handle), open_scratch(handle).work
    result = open_result(handle)
    possible, is_open, steps = lanes.possible, lanes.is_open, lanes.steps
    players = lanes.decides.shape[0]
    rule, limit = seats.numbers[_RULE], seats.numbers[_MAX_STEPS]
    able = np.zeros(players, np.bool_)
    kept = 0
    for k in range(count):
        lane = work[k]
        for player in range(players):
            lanes.acts[player, lane] = False
            lanes.decides[player, lane] = False
        over = is_over(possible, is_open, steps, lane, limit, players + 1)
        is_nature = not over and is_possible(possible, lane, KINDS * players + HAS)
        lanes.acts[players, lane] = is_nature
        asks = False
        if not over and not is_nature:
            several = _find_able(possible, lane, able) > 1
            if rule == _FIRST and several:
                # All are asked; the first answer counts.
                for player in range(players):
                    lanes.acts[player, lane] = able[player]
                    lanes.decides[player, lane] = able[player]
                asks = True
            else:
                word = np.uint64(0)
                if rule == _RANDOM:
                    step = step_of(steps, result.ended, lane)
                    word = word_at(key, place_of(step, TURN_SEAT, lane))
                mover = find_mover(rule, able, lanes.last[lane], word)
                asks = is_possible(possible, lane, KINDS * mover + MANY)
                lanes.acts[mover, lane] = True
                lanes.decides[mover, lane] = asks
        if not over and not asks:
            work[kept] = lane
            kept += 1
    return kept


@compile_kernel(nogil=True, makes_arrays=False)
def _find_able(possible, lane, able):
    """Find the players who could move, those with more to do than to pass before others.

    Returns how many there are.
    """
    count = 0
    for player in range(able.shape[0]):
        able[player] = is_possible(possible, lane, KINDS * player + REAL)
        count += able[player]
    if count == 0:
        for player in range(able.shape[0]):
            able[player] = is_possible(possible, lane, KINDS * player + HAS)
            count += able[player]
    return count


@compile_kernel(nogil=True)
def find_able(handle, chosen, able):
    """Find who could move in chosen lanes: able is (P, chosen) bool; none where that is decided.

    That is where the game is over, and where `random` moves.
    """
    lanes = open_lanes(handle)
    limit = open_seats(handle).numbers[_MAX_STEPS]
    players = able.shape[0]
    own = np.zeros(players, np.bool_)
    for place in range(chosen.shape[0]):
        lane = chosen[place]
        able[:, place] = False
        is_nature = is_possible(lanes.possible, lane, KINDS * players + HAS)
        if not is_nature and not is_over(
            lanes.possible, lanes.is_open, lanes.steps, lane, limit, players + 1
        ):
            _find_able(lanes.possible, lane, own)
            able[:, place] = own
