"""Brings what comes on several topics into the order in which it happened."""

from __future__ import annotations

from collections.abc import Callable

from gdl_env.environment.protocol import Question


class FeedbackFirst:
    """Holds a question back until the feedback of the tick before is known.

    With `across`, to all roles: where they count ticks together, and are learned from in turn.

    Feedback and questions are on topics of their own, and may overtake each other. A learner that
    was asked about the next episode before the feedback on the last one arrived would never learn
    how games end. What was lost is not waited for: `give_up` is to be called now and then.
    """

    def __init__(self, answer: Callable[[Question], None]) -> None:
        self._answer = answer
        # By role: the tick up to which everything is known, and the question that waits.
        self._known: dict[str, int] = {}
        self._held: dict[str, Question] = {}
        self._was_held: dict[str, Question] = {}
        self.across = False

    def ask(self, question: Question) -> None:
        """Have a question answered, now or later; a newer one of the role replaces it."""
        before = question.tick - 1
        # Nothing earlier is of interest to a role that had nothing to decide before.
        self._known.setdefault(question.role, before)
        known = min(self._known.values()) if self.across else self._known[question.role]
        if known < before:
            self._held[question.role] = question
            return
        self._held.pop(question.role, None)
        self._answer(question)

    def release(self, role: str, tick: int) -> None:
        """Record that feedback was received; answer the questions that waited for it."""
        self._known[role] = max(self._known.get(role, tick), tick)
        for question in sorted(self._held.values(), key=lambda question: question.tick):
            self.ask(question)

    def give_up(self) -> None:
        """Answer what was waiting at the last call already."""
        for role, question in list(self._held.items()):
            if self._was_held.get(role) is question:
                for late in self._known:
                    self._known[late] = max(self._known[late], question.tick - 1)
                self.ask(question)
        self._was_held = dict(self._held)

    def clear(self) -> None:
        """Forget everything: another match begins."""
        self._known.clear()
        self._held.clear()
