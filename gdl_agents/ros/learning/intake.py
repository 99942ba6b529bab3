"""What a learner takes in of the games of others: how much, how old, and what was lost."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from math import nan
from time import time_ns

# Policies whose time of publication is remembered.
_KEPT = 256


class Intake:
    """Counts for metrics and diagnostics; one for all matches that a learner watches."""

    def __init__(self) -> None:
        # Lanes of ticks that were learned from, and of those that never came, or in part.
        self.taken = 0
        self.lost = 0
        # When policies were published [ns], and their versions, in order.
        self._published: deque[tuple[int, int]] = deque(maxlen=_KEPT)
        # Since `mean_lag` was asked for: sum, count.
        self._lag = [0, 0]
        self.highest_lag = 0

    def publish(self, version: int, time: int = 0) -> None:
        """Note that a policy was published, now or at a time [ns since 1970]."""
        self._published.append((time or time_ns(), version))

    def take(self, lanes: int, stamp: int, version: int) -> None:
        """Note a tick that is learned from; it began at a stamp, and the learner has a version.

        The policy it was played by is taken for the newest one at that time.
        """
        self.taken += lanes
        place = bisect_right(self._published, (stamp, 2**63))
        if place and stamp:
            lag = max(0, version - self._published[place - 1][1])
            self._lag[0] += lag
            self._lag[1] += 1
            self.highest_lag = max(self.highest_lag, lag)

    def lose(self, lanes: int) -> None:
        """Note what cannot be learned from: a tick was lost, or the question to a decision."""
        self.lost += lanes

    def mean_lag(self) -> float:
        """Return how many updates old policies were, since the last call; NaN for nothing."""
        total, count = self._lag
        self._lag = [0, 0]
        return total / count if count else nan
