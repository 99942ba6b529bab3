"""Where a match is, and how long it waits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from gdl_env.environment.options import OptionsError


class Phase(IntEnum):
    """Where a match is; the numbers are those of Status."""

    UNKNOWN = 0
    WAITING = 1
    PLAYING = 2
    PAUSED = 3
    FINISHED = 4
    FAILED = 5


@dataclass(frozen=True)
class MatchPace:
    """How a match waits for others, besides clocks."""

    # Whether it polls for answers of quick agents.
    busy_wait: bool = True
    # Ticks by which it may be ahead of a learner that watches; 0: it does not wait for learners.
    learner_lead: int = 0


# How often the clock and the agents are checked [s].
_WATCH_PERIOD = 0.1


@dataclass(frozen=True)
class PhaseClocks:
    """Times to wait, in seconds; 0 is as long as it takes."""

    start: float
    play: float
    missing: float
    # For all moves of a role in a game, and added to it with each answer.
    total: float = 0.0
    increment: float = 0.0

    def check(self, lanes: int) -> None:
        """Raise OptionsError for clocks that make no sense together."""
        if self.total and lanes > 1:
            raise OptionsError('total_clock is for one game at a time: lanes must be 1')
        if self.increment and not self.total:
            raise OptionsError('increment adds to total_clock, which is 0 (unlimited)')

    @property
    def absence(self) -> float:
        """Return how long a role without an agent is waited for.

        Who may think as long as it takes may also be away as long: a link that is cut for a
        moment must not have a move played at random.
        """
        return self.missing if self.play else 0.0

    @property
    def watch_period(self) -> float:
        """Return how often to check them [s]: setting a timer in each tick would cost more."""
        period = min(_WATCH_PERIOD, self.play / 10) if self.play else _WATCH_PERIOD
        return max(period, 0.005)
