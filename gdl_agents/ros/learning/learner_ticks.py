"""Puts what is heard of a match back into ticks, in their order, to be learned from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gdl_agents.learning.trained_models import MatchLearner
from gdl_agents.ros.learning.intake import Intake
from gdl_env.environment.protocol import NO_ACTION, Feedback, Origin, Question

# Ticks that wait for their feedback; after this number of later ones they are dropped. Matches of
# actors are ahead of a learner by less.
_MOST = 100
_PATIENCE = 64
# How actions came about that an agent was asked for.
_ANSWERED = [int(origin) for origin in (Origin.AGENT, Origin.ILLEGAL, Origin.LATE)]


class Ticks:
    """Questions and feedback of roles that count their ticks together.

    They come on topics of their own, in any order. A tick is learned from once all roles have
    received their feedback, and the questions are there whose answers were played. Where ticks
    were missed, what was pending is dropped, and counted: its consequence is not known.
    """

    def __init__(
        self,
        roles: Sequence[str],
        prefix: str,
        learned: Callable[[Feedback, str], None],
        intake: Intake | None = None,
    ) -> None:
        """Know the roles by a prefix: those of several matches have the same names."""
        self._intake = intake or Intake()
        self._roles = tuple(roles)
        self._prefix = prefix
        self._learned = learned
        # By tick and role.
        self._asked: dict[int, dict[str, Question]] = {}
        self._told: dict[int, dict[str, Feedback]] = {}
        # The newest question of each role.
        self._newest: dict[str, int] = {}
        # The last tick that was learned from.
        self.last = 0

    def add_question(self, question: Question, learner: MatchLearner) -> None:
        """Add what a role was shown; learn from all ticks that are complete now."""
        self._newest[question.role] = question.tick
        if question.is_decision:
            self._asked.setdefault(question.tick, {})[question.role] = question
            if len(self._asked) > _MOST:
                del self._asked[min(self._asked)]
        if self._told:
            self._advance(learner)

    def add_feedback(self, feedback: Feedback, learner: MatchLearner) -> None:
        """Add the feedback of a role; learn from all ticks that are complete now."""
        if feedback.tick <= self.last - _MOST:
            # The match began again.
            for held in (self._asked, self._told, self._newest):
                held.clear()
            self.last = 0
        if feedback.tick > self.last:
            self._told.setdefault(feedback.tick, {})[feedback.role] = feedback
            self._advance(learner)

    def _advance(self, learner: MatchLearner) -> None:
        for tick in sorted(self._told):
            is_whole = len(self._told[tick]) == len(self._roles)
            is_next = tick <= self.last + 1 or not self.last
            is_known = is_whole and is_next and not self._waits_for_questions(tick)
            if not is_known and max(self._told) - tick < _PATIENCE:
                break
            if not is_whole:
                del self._told[tick]
                continue
            asked, told = self._asked.pop(tick, {}), self._told.pop(tick)
            if tick > self.last:
                self._learn(learner, tick, asked, told)
        for old in [number for number in self._asked if number <= self.last]:
            del self._asked[old]

    def _waits_for_questions(self, tick: int) -> bool:
        """Tell whether a question whose answer was played may still come: a later one has not."""
        asked = self._asked.get(tick, {})
        return any(
            role not in asked and self._newest.get(role, 0) <= tick and _is_answer(feedback)
            for role, feedback in self._told[tick].items()
        )

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
            if is_missed or tick != self.last + 1:
                learner.learn(unheard(feedback))
            if role not in asked and self.last and _is_answer(feedback):
                self._intake.lose(int(np.isin(feedback.origin, _ANSWERED).sum()))
        lanes = len(next(iter(known.values())).reward)
        if self.last:
            self._intake.lose(lanes * (tick - self.last - 1))
        stamp = max((question.stamp for question in asked.values()), default=0)
        self._intake.take(lanes, stamp, learner.version)
        self.last = tick
        for role, question in asked.items():
            feedback = known[role]
            action = np.where(question.to_move, feedback.action, NO_ACTION).astype(np.int32)
            learner.watch(replace(question, role=feedback.role), action)
        for role, feedback in known.items():
            learner.learn(feedback)
            self._learned(feedback, role)


def _is_answer(feedback: Feedback) -> bool:
    """Tell whether the role was asked what to do."""
    return bool(np.isin(feedback.origin, _ANSWERED).any())


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
