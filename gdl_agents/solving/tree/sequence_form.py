"""A game as sequences: what each role may do, and what follows from what all of them do.

A sequence of a player is its moves on the way to an information set, and one more there. A plan
gives each sequence its probability as far as the player itself decides: 1 for the empty one, and
the sequences of an information set share that of the sequence before it. What happens at the end
is a sum over combinations of sequences, so that nothing else of the game tree is needed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class SequenceForm(NamedTuple):
    """The arrays of a game, for compiled code. Sequences of all players have different numbers.

    The sets and sequences of a player come after those of the player before; a set comes after
    all sets of its player that lead to it.
    """

    # (I) of each information set: its first sequence, how many it has, the sequence before it.
    first: NDArray[np.int64]
    moves: NDArray[np.int64]
    before: NDArray[np.int64]
    # (P + 1) where the sets, and the sequences, of each player begin. The first sequence of a
    # player is its empty one.
    set_start: NDArray[np.int64]
    sequence_start: NDArray[np.int64]
    # (Z, P) the combinations of sequences that end games.
    ends: NDArray[np.int64]
    # (Z) how likely chance makes each, and (Z, P) that times the goals of the players.
    chance: NDArray[np.float64]
    payoff: NDArray[np.float64]

    @property
    def players(self) -> int:
        """Return the number of players."""
        return int(self.ends.shape[1])

    @property
    def sequences(self) -> int:
        """Return the number of sequences of all players."""
        return int(self.sequence_start[-1])
