"""Things that are due every so many episodes, or with every share of a run."""

from __future__ import annotations


class Milestone:
    """Is due once whenever what is counted reaches or passes a multiple of its period."""

    def __init__(self, period: float) -> None:
        self.period = period
        # Multiples that were reached so far.
        self.count = 0

    def is_due(self, count: float) -> bool:
        """Tell whether a multiple was reached since the last call."""
        reached = int(count / self.period + 1e-9)
        if reached <= self.count:
            return False
        self.count = reached
        return True
