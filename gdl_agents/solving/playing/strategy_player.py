"""Plays a strategy: follows what each role sees and does, and looks up what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.players.draws import draw_place, question_key
from gdl_agents.solving.playing.path_follower import PathFollower
from gdl_agents.solving.tree.sight import read_legal
from gdl_env.environment.protocol import NO_ACTION, Question


class StrategyPlayer:
    """Plays one role in all lanes."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], number: int) -> None:
        """Read the part of a role, by its place among the players."""
        keys = arrays[f'digests_{number}']
        first = arrays[f'first_{number}'].tolist()
        count = arrays[f'count_{number}'].tolist()
        self._likely = arrays[f'likely_{number}']
        self._sets = {keys[i].tobytes(): (first[i], first[i] + count[i]) for i in range(len(keys))}
        self._paths = PathFollower()
        # Decisions, and those at which nothing was known: any move is played there.
        self.decisions = 0
        self.blind = 0

    def follow(self, question: Question) -> None:
        """Take in what is shown in every lane."""
        self._paths.follow(question)

    def note_played(self, question: Question, action: NDArray[np.int32]) -> None:
        """Remember what the role did."""
        self._paths.note_played(question, action)

    def policy(self, question: Question) -> NDArray[np.float64]:
        """Return how likely each action is, in the lanes that decide."""
        self.follow(question)
        size = len(question.legal_moves) if question.legal is None else question.legal.size
        found = np.zeros((question.lanes, size))
        for lane in np.flatnonzero(question.to_move).tolist():
            legal, likely = self._look_up(question, lane)
            found[lane, legal] = likely
        return found

    def draw(self, question: Question, seed: int) -> NDArray[np.int32]:
        """Draw an action, or the place of a listed move, in every lane that decides."""
        self.follow(question)
        key = question_key(seed, question.role, question.tick, question.first_lane)
        action = np.full(question.lanes, NO_ACTION, np.int32)
        for lane in np.flatnonzero(question.to_move).tolist():
            legal, likely = self._look_up(question, lane)
            self.decisions += 1
            action[lane] = legal[draw_place(likely, key, lane)]
        self.note_played(question, action)
        return action

    def _look_up(self, question: Question, lane: int) -> tuple[list[int], NDArray[np.float64]]:
        """Return legal moves, and how likely each is."""
        legal, _ = read_legal(question, lane)
        if question.legal is None:
            # Strategies list moves by their text.
            legal.sort(key=lambda place: question.legal_moves[place])
        found = self._sets.get(self._paths.information_set(lane))
        if found is None:
            self.blind += 1
            return legal, np.full(len(legal), 1.0 / len(legal))
        return legal, self._likely[found[0] : found[1]]
