"""Plays a strategy: follows what each role sees and does, and looks up what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.players.draws import question_key
from gdl_agents.solving import digests
from gdl_agents.solving.sight import read_legal, read_move, read_view
from gdl_env.environment.protocol import NO_ACTION, Question
from gdl_env.play.plain_chance import draw_below

# Draws have this many different outcomes.
_FINE = 2**32


@dataclass
class _Lane:
    """What a role has seen and done in one lane."""

    episode: int
    digest: bytes = digests.NOTHING
    view: bytes | None = None
    # The tick of the last question to decide, 0 for none.
    asked: int = 0
    # The digest of that question, before the answer to it.
    question: bytes = digests.NOTHING


class StrategyPlayer:
    """Plays one role in all lanes."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], number: int) -> None:
        """Read the part of a role, by its place among the players."""
        keys = arrays[f'digests_{number}']
        first = arrays[f'first_{number}'].tolist()
        count = arrays[f'count_{number}'].tolist()
        self._likely = arrays[f'likely_{number}']
        self._sets = {
            keys[i].tobytes(): (first[i], first[i] + count[i]) for i in range(len(keys))
        }
        self._lanes: dict[int, _Lane] = {}
        # Decisions, and those at which nothing was known: any move is played there.
        self.decisions = 0
        self.blind = 0

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
                    held.question = held.digest = digests.ask(held.digest, view, legal)
                    held.asked = question.tick
            elif view != held.view:
                held.digest = digests.see(held.digest, view)
            held.view = view

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
        key = question_key(seed, question.role, question.tick)
        action = np.full(question.lanes, NO_ACTION, np.int32)
        for lane in np.flatnonzero(question.to_move).tolist():
            legal, likely = self._look_up(question, lane)
            self.decisions += 1
            mark = draw_below(key, lane, _FINE) / _FINE * likely.sum()
            place = int(np.searchsorted(np.cumsum(likely), mark, side='right'))
            action[lane] = legal[min(place, len(legal) - 1)]
        self.note_played(question, action)
        return action

    def note_played(self, question: Question, action: NDArray[np.int32]) -> None:
        """Remember what the role did."""
        for lane in np.flatnonzero(action >= 0).tolist():
            held = self._lanes[lane]
            held.digest = digests.do(held.question, read_move(question, int(action[lane])))

    def _look_up(self, question: Question, lane: int) -> tuple[list[int], NDArray[np.float64]]:
        """Return legal moves, and how likely each is."""
        legal, _ = read_legal(question, lane)
        if question.legal is None:
            # Strategies list moves by their text.
            legal.sort(key=lambda place: question.legal_moves[place])
        found = self._sets.get(self._lanes[lane].question)
        if found is None:
            self.blind += 1
            return legal, np.full(len(legal), 1.0 / len(legal))
        return legal, self._likely[found[0] : found[1]]
