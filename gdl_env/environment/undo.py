"""Taking moves back: the latest ticks of a match, to return to."""

from __future__ import annotations

from collections import deque
from typing import Any

from gdl_env.environment.environment import Environment


class UndoHistory:
    """Remembers the newest ticks of an environment, each as it was before it was played."""

    def __init__(self, kept: int) -> None:
        # Whose answers the tick needed, and all there was.
        self._ticks: deque[tuple[tuple[str, ...], dict[str, Any]]] = deque(maxlen=kept)

    def remember_tick(self, environment: Environment) -> None:
        """Remember the tick that is about to be played."""
        self._ticks.append((environment.awaited, environment.snapshot()))

    def take_back(self, environment: Environment, role: str) -> bool:
        """Go back to the last decision of a role; False if it has made none that is remembered."""
        while self._ticks:
            awaited, held = self._ticks.pop()
            if role in awaited:
                environment.go_back(held)
                return True
        return False

    def clear(self) -> None:
        """Forget everything: new episodes were asked for."""
        self._ticks.clear()
