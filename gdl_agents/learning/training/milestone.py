"""Things that are due every so many episodes."""

from __future__ import annotations


class Milestone:
    """Is due once whenever the number of episodes reaches or passes a multiple of its period."""

    def __init__(self, period: float) -> None:
        self.period = period
        # Multiples that were reached so far.
        self.count = 0

    def is_due(self, episodes: int) -> bool:
        """Tell whether a multiple was reached since the last call."""
        reached = int(episodes / self.period + 1e-9)
        if reached <= self.count:
            return False
        self.count = reached
        return True
