"""Finds episodes that come to a dead end: otherwise they look like any that were cut off."""

from __future__ import annotations

import numpy as np

from gdl_env.engine.dead_ends import report_dead_end
from gdl_env.engine.registry import open_engine
from gdl_env.environment.lanes.lanes import Lanes
from gdl_env.environment.lanes.records import SeatNumber
from gdl_env.environment.lanes.tick_result import TickResult

# How many lanes that were cut off are looked at before it is taken for granted that they are cut
# off for other reasons.
_MOST_LOOKS = 100
# The way to a dead end is looked for by random play from this seed, in games of so many steps if
# episodes have no limit of their own.
_SEED = 1
_MOST_STEPS = 10_000


class DeadEndWatch:
    """Looks at the first lanes that were cut off."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        self._left = _MOST_LOOKS

    def look(self, result: TickResult) -> None:
        """Take a look at a tick in which lanes ended. Raises DeadEndError."""
        if not self._left:
            return
        cut = np.flatnonzero(result.ended & ~result.terminated)[: self._left]
        if not len(cut):
            return
        self._left -= len(cut)
        states, _ = self._lanes.final_rows(result)
        batch = self._lanes.batch
        for lane in cut.tolist():
            if not len(batch.look(states[lane : lane + 1]).rows):
                longest = int(self._lanes.numbers[SeatNumber.MAX_STEPS]) or _MOST_STEPS
                with open_engine(self._lanes.game) as engine:
                    report_dead_end(engine, _SEED, longest, batch.to_state(states[lane]))
