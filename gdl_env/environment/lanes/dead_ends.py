"""Finds episodes that come to a dead end: otherwise they look like any that were cut off."""

from __future__ import annotations

from gdl_env.engine.dead_ends import MOST_STEPS, check_rows
from gdl_env.environment.lanes.lanes import Lanes
from gdl_env.environment.lanes.records import SeatNumber
from gdl_env.environment.lanes.tick_result import TickResult
from gdl_env.environment.lanes.turn_kernels import DEAD_END


def check_dead_ends(lanes: Lanes, result: TickResult) -> None:
    """Raise DeadEndError if a lane that ended in a tick came to a dead end.

    Or RangeError, if the lane has no moves but ones outside their range.
    """
    is_stuck = result.ended & (result.goals == DEAD_END).all(axis=0)
    if is_stuck.any():
        states, _ = lanes.final_rows(result)
        longest = int(lanes.numbers[SeatNumber.MAX_STEPS]) or MOST_STEPS
        check_rows(lanes.batch, states, is_stuck, longest)
