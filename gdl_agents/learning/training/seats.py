"""Who plays what where: learners and opponents, by role and lane."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gdl_env.environment.protocol import Question


class Seats:
    """Says in which lanes a role is played by its learner; opponents play it in the others.

    Where one seat of each game is the learner's, that seat goes round from lane to lane and from
    episode to episode, so that every role gets its share even in a single lane.
    """

    def __init__(self, learned: Sequence[str], *, together: bool) -> None:
        self.learned = tuple(learned)
        self._together = together

    def mine(self, question: Question) -> NDArray[np.bool_]:
        """Return the lanes of a question in which its learner decides."""
        return question.to_move & self.is_learner(question.role, question.episode)

    def is_learner(self, role: str, episode: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return the lanes in which a role is played by its learner in these episodes."""
        if role not in self.learned:
            return np.zeros(len(episode), np.bool_)
        if self._together or len(self.learned) == 1:
            return np.ones(len(episode), np.bool_)
        turn = (np.arange(len(episode)) + episode.astype(np.int64)) % len(self.learned)
        mine: NDArray[np.bool_] = turn == self.learned.index(role)
        return mine
