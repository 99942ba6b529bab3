"""Problems of a match in the log: each reported once in a while, not again and again."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

from gdl_env.environment.environment import Environment
from gdl_env.environment.referee import Referee, Verdict
from gdl_env.environment.step import Step
from gdl_env.ros.transport.cdr import read_action, read_tick
from gdl_env.ros.transport.messages import WireError

# The same of the same role is said at most once in this time [s].
_PERIOD = 2.0
# Names of agents are shown to people [characters].
LONGEST_NAME = 200


class Complaints:
    """Writes errors to a log: at most one of a kind and role in a while."""

    def __init__(self, log: Any) -> None:
        self._log = log
        self._said: dict[tuple[str, str], float] = {}
        self._unsaid: dict[tuple[str, str], int] = {}

    def is_due(self, role: str, kind: str) -> bool:
        """Tell whether a complaint would be written; if not, it is counted."""
        now = monotonic()
        key = role, kind
        if now - self._said.get(key, -_PERIOD) < _PERIOD:
            self._unsaid[key] = self._unsaid.get(key, 0) + 1
            return False
        self._said[key] = now
        return True

    def log_problem(self, role: str, kind: str, text: str) -> None:
        """Log a problem that is due."""
        more = self._unsaid.pop((role, kind), 0)
        self._log.error(f'{text} (and {more} more like it before)' if more else text)

    def log_dropped(
        self, environment: Environment, role: str, verdict: Verdict, data: bytes
    ) -> None:
        """Log whose answer was dropped, and why, if that is due."""
        if not self.is_due(role, verdict.value):
            return
        try:
            found = read_action(data)
            name = f'{found.agent[:LONGEST_NAME]}, as {found.role[:LONGEST_NAME]}'
            tick = found.tick
        except WireError as error:
            name, tick = str(error), read_tick(data)
        text = f'role {role} ({name}): {verdict.value} answer dropped'
        if not environment.hides_moves:
            # Others may read the log, and how often a role was asked may be hidden from them.
            text += f', for tick {tick} at tick {environment.tick_of(role)}'
        self.log_problem(role, verdict.value, text)

    def log_offences(self, referee: Referee, step: Step, owner: Callable[[str], str]) -> None:
        """Log who gave no answer, or an illegal one, where that is due.

        That is the owner of the role, or, if it has left, who answered last.
        """
        for role, origin in step.offences:
            word = origin.name.lower()
            if self.is_due(role, f'{word} tick'):
                agent = owner(role) or referee.attendance[role].agent or 'no agent'
                what = 'no answer in time' if word == 'late' else 'an illegal answer'
                when = '' if referee.environment.hides_moves else f' at tick {step.tick}'
                self.log_problem(role, f'{word} tick', f'role {role} ({agent}): {what}{when}')
