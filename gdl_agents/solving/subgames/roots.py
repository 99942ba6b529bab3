"""Where a sub-game begins: histories, what each role knows in them, what it is promised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.game.turn_kernels import UNKNOWN
from gdl_agents.solving.tree.frontier import HistoryRows
from gdl_agents.solving.tree.own_paths import Numbers, PathStart
from gdl_env.engine.batch.contract import BatchGame, States


@dataclass(frozen=True)
class Roots:
    """Histories that a sub-game begins with."""

    # As they are before anything is shown at this tick. `chance` is how likely each history is,
    # by chance and by what the players do; `paths` are not read.
    histories: HistoryRows
    # What each player knows: histories by players, as places in `starts` of that player.
    known: Numbers
    starts: tuple[tuple[PathStart, ...], ...]
    # Of each player, what it has been promised where it knows that: it must not get more there
    # than it would have got. A goal for each of `starts`, NaN where nothing is promised.
    promised: tuple[NDArray[np.float64], ...]

    def __len__(self) -> int:
        return len(self.histories)

    @classmethod
    def of_states(cls, rules: BatchGame, states: States, weight: NDArray[np.float64]) -> Roots:
        """Return roots of which nothing is known but what will be seen there."""
        count, players = len(states), len(rules.players)
        known = np.zeros((count, players), np.int64)
        histories = HistoryRows(
            states,
            np.zeros((count, rules.percept_words), np.uint64),
            np.full(count, UNKNOWN),
            weight,
            known,
        )
        return cls(histories, known, ((PathStart(),),) * players, (np.full(1, np.nan),) * players)
