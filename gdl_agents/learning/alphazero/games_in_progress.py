"""Games that a network plays against itself: what is kept of them until they end."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gdl_agents.learning.alphazero.config import AlphaZeroConfig
from gdl_agents.learning.alphazero.memory import SearchedPosition


@dataclass
class GameInProgress:
    """A game whose positions wait for the end."""

    positions: list[SearchedPosition] = field(default_factory=list)
    moves: int = 0
    # Moves at the start that are made at random.
    random_moves: int = 0


@dataclass(frozen=True)
class EndedGame:
    """A game that was played to its end."""

    positions: list[SearchedPosition]
    # What each player got, from 0 to 1.
    value: NDArray[np.float32]

    def mix_values(self, position: SearchedPosition, share: float) -> NDArray[np.float32]:
        """Return the values to learn for a position: what is proved, or a mix with the outcome."""
        if position.is_proved:
            return position.value
        return share * position.value + (1 - share) * self.value


class Openings:
    """Begins games: some of them with random moves, for a part of the length that games have."""

    def __init__(self, config: AlphaZeroConfig) -> None:
        self._config = config
        # Games that have ended, and the moves that they had.
        self.ended = self.moves = 0

    def begin_game(self, chance: np.random.Generator) -> GameInProgress:
        """Begin a game."""
        config = self._config
        share, part = chance.random(2)
        if share >= config.opening_share:
            return GameInProgress()
        most = config.opening_part * self.moves / max(1, self.ended)
        return GameInProgress(random_moves=int(part * (most + 1)))

    def count(self, game: GameInProgress) -> None:
        """Count a game that has ended."""
        self.ended += 1
        self.moves += game.moves


def to_values(goals: NDArray[np.int16]) -> NDArray[np.float32]:
    """Return goals of players as values from 0 to 1; those below 0 are none."""
    values: NDArray[np.float32] = (np.where(goals < 0, 50, goals) / 100).astype(np.float32)
    return values
