"""An agent that takes a fixed time for each decision, as if another machine computed it."""

from __future__ import annotations

import time

from gdl_agents.players.random import RandomAgent
from gdl_env.environment.protocol import Answer, Question


class Paced(RandomAgent):
    """Plays at random, after some microseconds for each lane that has a decision."""

    name = 'paced'

    def __init__(self, detail: str = '') -> None:
        super().__init__()
        self._seconds = float(detail or 0) / 1e6

    def choose(self, question: Question) -> Answer:
        """Wait, without keeping a core busy, then draw."""
        end = time.perf_counter() + self._seconds * int(question.to_move.sum())
        answer = super().choose(question)
        time.sleep(max(0.0, end - time.perf_counter()))
        return answer
