"""A game as sequences: what each role may do, and what follows from what all of them do.

A sequence of a player is its moves on the way to an information set, and one more there. A plan
gives each sequence its probability as far as the player itself decides: 1 for the empty one, and
the sequences of an information set share that of the sequence before it. What happens at the end
is a sum over combinations of sequences, so that nothing else of the game tree is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_agents.solving.tree.own_paths import Numbers, OwnPaths
from gdl_agents.solving.tree.sight import group_rows


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


def make_form(
    own: Sequence[OwnPaths],
    ends: Numbers,
    chance: NDArray[np.float64],
    goals: NDArray[np.float64],
) -> SequenceForm:
    """Give sets and sequences of all players their numbers; join ends that are alike.

    Of each end, a row: the sequence of each player, by its own number; how likely chance makes it;
    and the goals of the players.
    """
    sequences = np.cumsum([0, *(len(one.moves) for one in own)])
    kept, which = group_rows(ends)
    weighted = goals * chance[:, None]
    payoff = [np.bincount(which, column, len(kept)) for column in weighted.T]
    shifted = [np.stack([one.first, np.array(one.before, np.int64)]) for one in own]
    first, before = np.concatenate(
        [part + start for part, start in zip(shifted, sequences[:-1], strict=True)], axis=1
    )
    return SequenceForm(
        first,
        np.concatenate([one.count for one in own]),
        before,
        np.cumsum([0, *map(len, own)]),
        sequences,
        ends[kept] + sequences[:-1],
        np.bincount(which, chance, len(kept)).astype(np.float64),
        np.stack(payoff, axis=1),
    )
