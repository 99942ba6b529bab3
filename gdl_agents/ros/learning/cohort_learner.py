"""The lanes of one cohort, to a learner that learns from all of them."""

from __future__ import annotations

from dataclasses import replace

from gdl_agents.agent import Agent
from gdl_env.environment.protocol import Answer, Feedback, Question

# Not allowed in names of ROS, so that no namespace is taken for a cohort.
_MARK = '#'


def name_in_cohort(role: str, cohort: int) -> str:
    """Return what a learner calls a role of a cohort: each is like a match of its own.

    What is before the last slash names the match, as with matches in namespaces, and its cohort.
    """
    return f'{_MARK}{cohort}/{role}' if cohort else role


def name_of_match(role: str) -> str:
    """Return the namespace of the match that a name of a role, as above, belongs to."""
    return role.rpartition('/')[0].partition(_MARK)[0].rstrip('/')


class CohortLearner(Agent):
    """Plays one more cohort by a learner, and has it learn from that."""

    wants_feedback = True

    def __init__(self, learner: Agent, cohort: int) -> None:
        self._learner = learner
        self._cohort = cohort

    def choose(self, question: Question) -> Answer:
        """Answer, and remember it."""
        own = name_in_cohort(question.role, self._cohort)
        answer = self._learner.choose(replace(question, role=own))
        return replace(answer, role=question.role)

    def learn(self, feedback: Feedback) -> None:
        """Receive the result of a tick, and learn."""
        self._learner.learn(replace(feedback, role=name_in_cohort(feedback.role, self._cohort)))
