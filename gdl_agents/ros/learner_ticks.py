"""Puts what is heard of a match back into ticks, in their order, to be learned from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gdl_agents.learning.trained_models import MatchLearner
from gdl_env.environment.protocol import NO_ACTION, Feedback, Question

# Ticks that wait for their feedback; after this number of later ones they are dropped.
_MOST = 100
_PATIENCE = 20


class Ticks:
    """Questions and feedback of roles that count their ticks together.

    They come on topics of their own, in any order. A tick is learned from once all roles have
    received their feedback. Where ticks were missed, what was pending is dropped: its
    consequence is not known.
    """

    def __init__(
        self, roles: Sequence[str], prefix: str, learned: Callable[[Feedback, str], None]
    ) -> None:
        """Know the roles by a prefix: those of several matches have the same names."""
        self._roles = tuple(roles)
        self._prefix = prefix
        self._learned = learned
        # By tick and role.
        self._asked: dict[int, dict[str, Question]] = {}
        self._told: dict[int, dict[str, Feedback]] = {}
        # The last tick that was learned from.
        self._last = 0

    def add_question(self, question: Question) -> None:
        """Add the question that a role received."""
        self._asked.setdefault(question.tick, {})[question.role] = question
        if len(self._asked) > _MOST:
            del self._asked[min(self._asked)]

    def add_feedback(self, feedback: Feedback, learner: MatchLearner) -> None:
        """Add the feedback of a role; learn from all ticks that are complete now."""
        if feedback.tick <= self._last - _MOST:
            # The match began again.
            self._asked.clear()
            self._told.clear()
            self._last = 0
        self._told.setdefault(feedback.tick, {})[feedback.role] = feedback
        for tick in sorted(self._told):
            is_whole = len(self._told[tick]) == len(self._roles)
            is_next = tick <= self._last + 1 or not self._last
            if not (is_whole and is_next) and max(self._told) - tick < _PATIENCE:
                break
            if not is_whole:
                del self._told[tick]
                continue
            asked, told = self._asked.pop(tick, {}), self._told.pop(tick)
            if tick > self._last:
                self._learn(learner, tick, asked, told)
        for old in [number for number in self._asked if number <= self._last]:
            del self._asked[old]

    def _learn(
        self,
        learner: MatchLearner,
        tick: int,
        asked: Mapping[str, Question],
        told: Mapping[str, Feedback],
    ) -> None:
        """Learn from a tick: first the decisions, then their feedback."""
        known = {role: replace(told[role], role=f'{self._prefix}{role}') for role in told}
        for role, feedback in known.items():
            is_missed = role not in asked and bool((feedback.action >= 0).any())
            if is_missed or tick != self._last + 1:
                learner.learn(unheard(feedback))
        self._last = tick
        for role, question in asked.items():
            feedback = known[role]
            action = np.where(question.to_move, feedback.action, NO_ACTION).astype(np.int32)
            learner.watch(replace(question, role=feedback.role), action)
        for role, feedback in known.items():
            learner.learn(feedback)
            self._learned(feedback, role)


def unheard(feedback: Feedback) -> Feedback:
    """Return feedback of no episode: whatever is pending from another one is dropped by it."""
    lanes = len(feedback.reward)
    none = np.zeros(lanes, np.bool_)
    return replace(
        feedback,
        episode=np.zeros(lanes, np.uint64),
        reward=np.zeros(lanes, np.float32),
        terminated=none,
        truncated=none,
        action=np.empty(0, np.int32),
        final_observation=None,
    )
