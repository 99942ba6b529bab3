"""Collects the answers of a tick, and sorts out those that do not count."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from enum import Enum

from gdl_env.environment.environment import Environment
from gdl_env.environment.journal import Journal, JournalError
from gdl_env.environment.options import Policy
from gdl_env.environment.protocol import Answer
from gdl_env.environment.step import Step
from gdl_env.environment.undo import UndoHistory


class Verdict(Enum):
    """What happened to an answer."""

    ACCEPTED = 'accepted'
    # Its tick is over.
    LATE = 'late'
    # The role has answered this tick already.
    SECOND = 'second'
    # For a tick that never was, another role, a role that is not asked, or by an agent that may
    # not play the role.
    FOREIGN = 'foreign'


@dataclass
class Attendance:
    """What is known of the agent of one role."""

    role: str
    # Who answered last, and the only one whose answers count ('' is anyone).
    agent: str = ''
    allowed: str = ''
    late: int = 0
    foreign: int = 0
    # Whether the last question was answered in time.
    is_silent: bool = False


class Referee:
    """Runs the ticks of an environment by the answers that come in.

    The first answer of a role to the current tick counts; everything else is counted and dropped.
    """

    def __init__(
        self, environment: Environment, journal: Journal | None = None, cohort: int = 0
    ) -> None:
        """Run one cohort of a match; the first one notes in the journal what concerns all."""
        self.environment = environment
        self.journal = journal
        self.cohort = cohort
        self.attendance = {role: Attendance(role) for role in environment.roles}
        self._answers: dict[str, Answer] = {}

    # ---- answers

    def judge(self, role: str, tick: int) -> Verdict:
        """Say what would become of an answer on the topic of a role, by its tick alone.

        It is cheap, so that floods of answers that do not count cost little.
        """
        now = self.environment.tick_of(role)
        if tick < now:
            verdict = Verdict.LATE
        elif tick > now or role not in self.environment.awaited:
            verdict = Verdict.FOREIGN
        elif role in self._answers:
            verdict = Verdict.SECOND
        else:
            return Verdict.ACCEPTED
        self._count(role, verdict)
        return verdict

    def receive(self, role: str, answer: Answer) -> Verdict:
        """Take an answer that came in on the topic of a role."""
        verdict = self.judge(role, answer.tick)
        if verdict is not Verdict.ACCEPTED:
            return verdict
        attendance = self.attendance[role]
        if answer.role != role or attendance.allowed not in {'', answer.agent}:
            return self.refuse(role)
        attendance.agent = answer.agent
        attendance.is_silent = False
        self._answers[role] = answer
        return verdict

    def refuse(self, role: str) -> Verdict:
        """Count an answer that cannot be read, or is not meant for the role."""
        self._count(role, Verdict.FOREIGN)
        return Verdict.FOREIGN

    def drop(self, role: str, late: int, foreign: int) -> None:
        """Count answers that were sorted out without asking."""
        self.attendance[role].late += late
        self.attendance[role].foreign += foreign

    def _count(self, role: str, verdict: Verdict) -> None:
        attendance = self.attendance[role]
        if verdict is Verdict.LATE:
            attendance.late += 1
        else:
            attendance.foreign += 1

    # ---- ticks

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the roles whose answer is still to come."""
        return tuple(role for role in self.environment.awaited if role not in self._answers)

    @property
    def is_complete(self) -> bool:
        """Tell whether the tick can be played: all have answered, or the first one did."""
        return self.environment.is_enough(self._answers)

    @property
    def finality(self) -> str:
        """Return why the moves of a match stay as they are; '' if they can be taken back."""
        if self.journal is not None or self.environment.game.trace is not None:
            return 'a match that is written down takes nothing back'
        if self.environment.options.total_lanes > 1:
            return 'with several lanes nothing is taken back'
        return ''

    def play(self) -> Step:
        """Play the tick with what has come in; who is missing is late.

        Raises JournalError if it cannot be written down; then it is not played.
        """
        if not self.is_complete:
            for role in self.missing:
                self.attendance[role].is_silent = True
        answers, self._answers = self._answers, {}
        if self.journal is not None:
            self.journal.tick(self.environment.tick, answers, self.cohort)
        step = self.environment.step(answers)
        if self.environment.is_finished and self.journal is not None:
            # All ticks are written: that it was the last one is seen when they are read.
            with suppress(JournalError):
                self.journal.finish(self.cohort)
        return step

    def reset(self, seed: int | None, episodes: int) -> None:
        """Begin again; answers of the current tick are void. Without a seed chance continues."""
        self._answers.clear()
        if self.journal is not None and not self.cohort:
            self.journal.reset(seed, episodes)
        if self.environment.game.trace is not None:
            # What was never begun is not recorded.
            self.environment.game.trace.take()
        self.environment.reset(seed, episodes)
        if self.journal is not None:
            self.journal.expect(self.cohort, is_playing=not self.environment.is_finished)
        for attendance in self.attendance.values():
            attendance.late = attendance.foreign = 0

    def take_back(self, history: UndoHistory, role: str) -> bool:
        """Go back to the last decision of a role; False if there is none to go back to.

        What is written down cannot be unwritten: there must be no journal.
        """
        if self.journal is not None or not history.take_back(self.environment, role):
            return False
        self._answers.clear()
        return True

    def set_policy(self, role: str, policy: Policy, agent: str = '') -> None:
        """Say who decides for a role; `agent` is the only one who may, '' anyone."""
        if self.journal is not None and not self.cohort:
            self.journal.policy(role, policy)
        self.environment.set_policy(role, policy)
        self.attendance[role].allowed = agent
        self._answers.pop(role, None)

    def give_up(self) -> None:
        """Say that what was asked for is not wanted any more: a restart does not resume it."""
        if self.journal is not None:
            self.journal.end()
