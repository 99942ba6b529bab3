"""The standing of a match, as far as it may be public."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace

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

    def __init__(self, referee: Referee) -> None:
        self._referee = referee
        self._held = self._read()
        self.record_public()

    @property
    def now(self) -> Standing:
        """Return what may be public now."""
        return self._held if self._referee.environment.hides_moves else self._read()

    def record_public(self) -> None:
        """Record the numbers of a moment when nothing is hidden: an episode has just ended."""
        if self._referee.environment.hides_moves:
            live = self._read()
            attendance = {role: replace(one) for role, one in live.attendance.items()}
            tallies = deepcopy(live.tallies)
            tallies.steps = 0
            self._held = Standing(0, tallies, attendance, ())

    def _read(self) -> Standing:
        referee = self._referee
        environment = referee.environment
        return Standing(environment.tick, environment.tallies, referee.attendance, referee.missing)
