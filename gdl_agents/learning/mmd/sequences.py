"""What roles saw and did in finished games, in the order of the game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Sequences:
    """Inputs of seats, one game after the other; `lengths` says how many each has.

    Rows of a game are in the order in which they were seen. All arrays but `lengths` and `player`
    have an entry for each row.
    """

    # int64 (games): rows, the last of which is a decision; and who saw them.
    lengths: NDArray[np.int64]
    player: NDArray[np.int64]
    # Packed bits: what was seen, what was legal, and the whole state.
    observation: NDArray[np.uint8]
    legal: NDArray[np.uint8]
    state: NDArray[np.uint8]
    # The own move since the row before, -1 for none.
    last: NDArray[np.int64]
    # What was decided, -1 where nothing was; and what was paid until the next decision.
    action: NDArray[np.int64]
    reward: NDArray[np.float32]

    @property
    def decisions(self) -> int:
        """Return the number of decisions."""
        return int((self.action >= 0).sum())

    def select(self, games: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows of some games as `MemoryBody` wants them, and its sizes."""
        games = games[np.argsort(-self.lengths[games], kind='stable')]
        lengths = self.lengths[games]
        start = (np.cumsum(self.lengths) - self.lengths)[games]
        rank = np.repeat(np.arange(len(games)), lengths)
        before = np.cumsum(lengths) - lengths
        place = np.arange(len(rank)) - before[rank]
        order = np.lexsort((rank, place))
        sizes = np.bincount(place, minlength=1).astype(np.int64)
        return (start[rank] + place)[order], sizes

    def find_returns(self, value: NDArray[np.float32], trace: float) -> NDArray[np.float32]:
        """Return what followed each decision: rewards, and values of next decisions.

        - value: of each decision, as its player expects to play it
        - trace: how much of what followed counts where a value is known; the value is the rest
        """
        start = np.cumsum(self.lengths) - self.lengths
        found = np.zeros(len(self.action), np.float32)
        after = np.zeros(len(self.lengths), np.float32)
        for place in range(int(self.lengths.max(initial=0)) - 1, -1, -1):
            games = np.flatnonzero(self.lengths > place)
            rows = start[games] + place
            is_decision = self.action[rows] >= 0
            games, rows = games[is_decision], rows[is_decision]
            found[rows] = self.reward[rows] + after[games]
            after[games] = (1 - trace) * value[rows] + trace * found[rows]
        return found


def join_sequences(parts: Sequence[Sequences]) -> Sequences:
    """Return all sequences in one."""
    names = [field.name for field in fields(Sequences)]
    return Sequences(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
