"""How a player fared: wins, draws, losses and goals, and what they say about strength."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from gdl_env.environment.tallies import RoleTally
from gdl_env.play.reward_scale import to_reward


@dataclass(frozen=True)
class Score:
    """How one player fared over some games; scores can be added."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    # The sum of its goals, 0 to 100 each.
    goals: float = 0

    @classmethod
    def of(cls, tally: RoleTally) -> Score:
        """Return what a tally holds."""
        return cls(tally.scored, tally.wins, tally.draws, tally.losses, tally.goals)

    def __add__(self, other: Score) -> Score:
        return Score(
            self.games + other.games,
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            self.goals + other.goals,
        )

    @property
    def reward(self) -> float:
        """Return the mean reward, by default rewards; 0 without games."""
        return to_reward(self.goals / self.games) if self.games else 0.0

    @property
    def mean_goal(self) -> float | None:
        """Return the mean goal [0 to 100]. None without games."""
        return self.goals / self.games if self.games else None

    @property
    def win_percentage(self) -> float | None:
        """Return the share of wins [%], where a draw is half a win. None without games."""
        return 100 * (self.wins + self.draws / 2) / self.games if self.games else None

    def shares(self) -> list[tuple[float, float, float]]:
        """Return the shares of wins, draws and losses, each with its 95 % interval."""
        counts = (self.wins, self.draws, self.losses)
        return [
            (count / self.games if self.games else 0.0, *interval(count, self.games))
            for count in counts
        ]


def interval(count: int, games: int, z: float = 1.96) -> tuple[float, float]:
    """Return the 95 % interval (Wilson's) of a share."""
    if not games:
        return 0.0, 1.0
    share = count / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * sqrt(share * (1 - share) / games + z * z / (4 * games**2))
    return max(0.0, middle - half), min(1.0, middle + half)
