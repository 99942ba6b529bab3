"""Finds episodes that come to a dead end: otherwise they look like any that were cut off."""

from __future__ import annotations

import numpy as np

from gdl_env.engine.dead_ends import report_dead_end
from gdl_env.engine.registry import open_engine
from gdl_env.environment.lanes.lanes import Lanes
from gdl_env.environment.lanes.records import SeatNumber
from gdl_env.environment.lanes.tick_result import TickResult
from gdl_env.environment.lanes.turn_kernels import DEAD_END

# The way to a dead end is looked for by random play from this seed, in games of so many steps if
# episodes have no limit of their own.
_SEED = 1
_MOST_STEPS = 10_000


def check_dead_ends(lanes: Lanes, result: TickResult) -> None:
    """Raise DeadEndError if a lane that ended in a tick came to a dead end.

    Or RangeError, if the lane has no moves but ones outside their range.
    """
    stuck = np.flatnonzero(result.ended & (result.goals == DEAD_END).all(axis=0))
    if not len(stuck):
        return
    states, _ = lanes.final_rows(result)
    longest = int(lanes.numbers[SeatNumber.MAX_STEPS]) or _MOST_STEPS
    with open_engine(lanes.game) as engine:
        report_dead_end(engine, _SEED, longest, lanes.batch.to_state(states[stuck[0]]))
