"""What an alpha-beta search has found, by whichever way it makes positions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.contract import Rows


@dataclass(frozen=True)
class AlphaBetaResult:
    """What a search has found."""

    # The legal moves, and their values: goals, 0 to 100; NaN for moves that are not best. If all
    # moves lose, the values before that was seen: the best of them hold out longest.
    rows: Rows
    values: NDArray[np.float64]
    # What the position is worth.
    value: float
    # To which depth it got, and after how many positions.
    depth: int
    nodes: int
    # Whether nothing was estimated: the value is that of the game.
    is_exact: bool
    # Whether it ended before the depth that was wanted.
    is_cut: bool

    @property
    def best(self) -> Rows:
        """Return the best moves."""
        return self.rows[~np.isnan(self.values)]
