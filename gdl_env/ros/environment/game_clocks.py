"""The time that each role has for a whole game, as clocks beside a board show it."""

from __future__ import annotations

from gdl_env.ros.environment.phase import PhaseClocks

# On the wire 0 is as long as it takes, so a role without time left receives this [s].
_NOTHING = 0.001


class GameClocks:
    """Counts down while a role thinks; each answer adds the increment.

    Without a total clock only the play clock counts, which is the same for each question.
    """

    def __init__(self, clocks: PhaseClocks) -> None:
        self.clocks = clocks
        self._episode = 0
        self._left: dict[str, float] = {}

    def begin(self, episode: int) -> None:
        """Give all roles the whole time, if this is another game."""
        if episode != self._episode:
            self._episode = episode
            self._left.clear()

    def limit(self, role: str) -> float:
        """Return how long a role may take for an answer [s]; 0 is as long as it takes."""
        if not self.clocks.total:
            return self.clocks.play
        left = max(_NOTHING, self._left.get(role, self.clocks.total))
        return min(left, self.clocks.play) if self.clocks.play else left

    def spend(self, role: str, seconds: float, *, is_answer: bool) -> None:
        """Take time off the clock of a role; an answer in time brings the increment."""
        if not self.clocks.total:
            return
        left = self._left.get(role, self.clocks.total) - seconds
        is_paid = is_answer and left > 0
        self._left[role] = max(0.0, left) + (self.clocks.increment if is_paid else 0.0)
