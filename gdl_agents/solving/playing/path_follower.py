"""Follows what a role sees and does in the lanes of a match: the digests of its paths."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gdl_agents.solving.tree import digests
from gdl_agents.solving.tree.sight import read_legal, read_move, read_view
from gdl_env.environment.protocol import Question


@dataclass
class _Lane:
    """What a role has seen and done in one lane."""

    episode: int
    digest: bytes = digests.NOTHING
    view: bytes | None = None
    # The tick of the last question to decide, 0 for none.
    asked: int = 0
    # The digest of that question, before the answer to it: the information set.
    question: bytes = digests.NOTHING
    # All digests so far, and those of questions in their order.
    trail: set[bytes] = field(default_factory=set)
    questions: list[bytes] = field(default_factory=list)

    def step(self, digest: bytes) -> None:
        """Take the next step."""
        self.digest = digest
        self.trail.add(digest)


class PathFollower:
    """Follows one role in all lanes."""

    def __init__(self) -> None:
        self._lanes: dict[int, _Lane] = {}

    def follow(self, question: Question) -> None:
        """Take in what is shown in every lane."""
        for lane in range(question.lanes):
            held = self._lanes.get(lane)
            episode = int(question.episode[lane])
            if held is None or held.episode != episode:
                held = self._lanes[lane] = _Lane(episode)
            view = read_view(question, lane)
            if question.to_move[lane]:
                if held.asked != question.tick:
                    _, legal = read_legal(question, lane)
                    held.step(digests.ask(held.digest, view, legal))
                    held.question = held.digest
                    held.questions.append(held.digest)
                    held.asked = question.tick
            elif view != held.view:
                held.step(digests.see(held.digest, view))
            held.view = view

    def note_played(self, question: Question, action: NDArray[np.int32]) -> None:
        """Remember what the role did."""
        for lane in np.flatnonzero(action >= 0).tolist():
            held = self._lanes[lane]
            held.step(digests.do(held.question, read_move(question, int(action[lane]))))

    def information_set(self, lane: int) -> bytes:
        """Return the digest of the last question to decide in a lane."""
        return self._lanes[lane].question

    def trail(self, lane: int) -> set[bytes]:
        """Return all digests of a lane so far."""
        return self._lanes[lane].trail

    def questions(self, lane: int) -> list[bytes]:
        """Return the digests of all questions to decide in a lane, the last one last."""
        return self._lanes[lane].questions
