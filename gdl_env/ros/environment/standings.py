"""The standing of a match, as far as it may be public."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

from gdl_env.environment.cohorts import join_tallies
from gdl_env.environment.referee import Attendance, Referee
from gdl_env.environment.tallies import Tallies


@dataclass(frozen=True)
class Standing:
    """Numbers that change with every tick."""

    tick: int
    tallies: Tallies
    attendance: Mapping[str, Attendance]
    # The roles whose answers are awaited.
    missing: tuple[str, ...]


class Standings:
    """Gives the numbers of now or, where moves are hidden, of the last end of an episode.

    How often a role was asked, and how often it was refused, is part of what is hidden: in Krieg
    Tic-tac-toe it says how many taken cells the other has found. So steps are not published there.
    """

    def __init__(self, referees: Sequence[Referee]) -> None:
        """Give the numbers of all cohorts; each has a referee."""
        self._referees = referees
        self._hides_moves = referees[0].environment.hides_moves
        self._held = self._read()
        self.record_public()

    @property
    def now(self) -> Standing:
        """Return what may be public now."""
        return self._held if self._hides_moves else self._read()

    def record_public(self) -> None:
        """Record the numbers of a moment when nothing is hidden: an episode has just ended."""
        if self._hides_moves:
            live = self._read()
            attendance = {role: replace(one) for role, one in live.attendance.items()}
            tallies = deepcopy(live.tallies)
            tallies.steps = 0
            self._held = Standing(0, tallies, attendance, ())

    def _read(self) -> Standing:
        first, *others = self._referees
        environment = first.environment
        if not others:
            return Standing(environment.tick, environment.tallies, first.attendance, first.missing)
        return Standing(
            max(referee.environment.tick for referee in self._referees),
            join_tallies(referee.environment.tallies for referee in self._referees),
            {role: self._join(role) for role in environment.roles},
            tuple(
                role
                for role in environment.roles
                if any(role in referee.missing for referee in self._referees)
            ),
        )

    def _join(self, role: str) -> Attendance:
        """Return what all cohorts know of the agent of a role."""
        each = [referee.attendance[role] for referee in self._referees]
        return Attendance(
            role,
            agent=next((one.agent for one in each if one.agent), ''),
            allowed=each[0].allowed,
            late=sum(one.late for one in each),
            foreign=sum(one.foreign for one in each),
            is_silent=any(one.is_silent for one in each),
        )
