"""A line of play: moves from a state to the end of the game."""

from __future__ import annotations

from dataclasses import dataclass

from gdl_env.engine.batch.contract import Rows


@dataclass(frozen=True)
class Line:
    """Moves one after another, and what they lead to."""

    # The legal moves, as rows: see `BatchGame`.
    rows: Rows
    # The goal at its end; -1 where the game is not over then, or gives none.
    goal: int
