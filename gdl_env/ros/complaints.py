"""What goes wrong in a match, for people: not the same again and again."""

from __future__ import annotations

from time import monotonic
from typing import Any

# The same of the same role is said at most once in this time [s].
_PERIOD = 2.0


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

    def say(self, role: str, kind: str, text: str) -> None:
        """Write a complaint that is due."""
        more = self._unsaid.pop((role, kind), 0)
        self._log.error(f'{text} (and {more} more like it before)' if more else text)
