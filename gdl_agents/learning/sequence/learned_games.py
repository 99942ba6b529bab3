"""Games that are learned from, with which of their moves are worth imitating."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.learning.mmd.sequences import Sequences

# What is held for each game, not for each row.
_BY_GAME = ('lengths', 'player')


@dataclass(frozen=True)
class LearnedGames:
    """Sequences of roles, and for each of their rows, whether its move is imitated."""

    sequences: Sequences
    is_model: NDArray[np.bool_]

    def take(self, chosen: NDArray[np.int64]) -> LearnedGames:
        """Return some of the sequences."""
        lengths = self.sequences.lengths[chosen]
        start = (np.cumsum(self.sequences.lengths) - self.sequences.lengths)[chosen]
        begin = np.repeat(start - (np.cumsum(lengths) - lengths), lengths)
        rows = begin + np.arange(lengths.sum())
        held = vars(self.sequences)
        parts = {name: array[rows] for name, array in held.items() if name not in _BY_GAME}
        parts |= {name: held[name][chosen] for name in _BY_GAME}
        return LearnedGames(Sequences(**parts), self.is_model[rows])

    @classmethod
    def of(cls, sequences: Sequences) -> LearnedGames:
        """Return games whose moves are all imitated."""
        return cls(sequences, sequences.action >= 0)
