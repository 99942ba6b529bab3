"""Says once that episodes of a game come to dead ends: they are cut off, easily missed."""

from __future__ import annotations

import logging

import numpy as np

from gdl_env.engine.dead_ends import DeadEnd
from gdl_env.environment.lanes.lanes import Lanes
from gdl_env.environment.lanes.tick_result import TickResult

_LOGGER = logging.getLogger(__name__)
# How many lanes that were cut off are looked at before it is taken for granted that they are cut
# off for other reasons.
_MOST_LOOKS = 100


class DeadEndWatch:
    """Looks at lanes that were cut off, until it has said something."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        self._left = _MOST_LOOKS

    def look(self, result: TickResult) -> None:
        """Take a look at a tick in which lanes ended."""
        if not self._left:
            return
        cut = np.flatnonzero(result.ended & ~result.terminated)[: self._left]
        if not len(cut):
            return
        self._left -= len(cut)
        states, _ = self._lanes.final_rows(result)
        batch = self._lanes.batch
        for lane in cut.tolist():
            row = states[lane : lane + 1]
            if not len(batch.look(row).rows):
                found = DeadEnd(batch.to_state(states[lane]), None)
                _LOGGER.warning('%s: %s; such episodes are cut off', self._lanes.game.name, found)
                self._left = 0
                return
