"""How a match goes: wins, draws and losses of every role."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_env.play.outcome import DRAWS, GOALS, LOSSES, WINS, count_outcomes


@dataclass
class RoleTally:
    """What one role has on its account."""

    role: str
    wins: int = 0
    draws: int = 0
    losses: int = 0
    # Sum of its goals, and the number of episodes that gave one.
    goals: int = 0
    scored: int = 0
    # Moves the environment played because an answer was missing or illegal.
    strikes: int = 0
    late: int = 0
    illegal: int = 0

    @property
    def mean_goal(self) -> float:
        """Return the mean goal; NaN as long as there is none."""
        return self.goals / self.scored if self.scored else float('nan')

    def add_strikes(self, late: int, illegal: int) -> None:
        """Count answers that were missing, and that were illegal."""
        self.late += late
        self.illegal += illegal
        self.strikes += late + illegal


@dataclass
class Tallies:
    """All roles of a match."""

    roles: tuple[RoleTally, ...]
    finished: int = 0
    steps: int = 0
    # Episodes that were broken off, or ended by an illegal move, and so have no winner.
    unscored: int = 0
    _index: dict[str, RoleTally] = field(default_factory=dict)

    @classmethod
    def of(cls, roles: tuple[str, ...]) -> Tallies:
        """Return empty tallies."""
        accounts = tuple(RoleTally(role) for role in roles)
        return cls(accounts, _index={account.role: account for account in accounts})

    def __getitem__(self, role: str) -> RoleTally:
        return self._index[role]

    def snapshot(self) -> dict[str, Any]:
        """Return all numbers."""
        kept = asdict(self)
        del kept['_index']
        return kept

    @classmethod
    def restored(cls, held: dict[str, Any]) -> Tallies:
        """Return the tallies that `snapshot` was made of."""
        accounts = tuple(RoleTally(**account) for account in held['roles'])
        index = {account.role: account for account in accounts}
        return cls(**{**held, 'roles': accounts}, _index=index)

    def add(self, other: Tallies) -> None:
        """Add what was counted elsewhere, for the same roles."""
        for name in ('finished', 'steps', 'unscored'):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for account in self.roles:
            more = other[account.role]
            for name in (
                'wins',
                'draws',
                'losses',
                'goals',
                'scored',
                'strikes',
                'late',
                'illegal',
            ):
                setattr(account, name, getattr(account, name) + getattr(more, name))

    def add_ends(self, goals: NDArray[np.int16], ended: NDArray[np.bool_]) -> int:
        """Count the episodes that ended; return how many of them have no winner.

        Goals are roles by lanes, -1 where there is none. What a win is, is defined in `outcome`.
        """
        counts = np.zeros((len(self.roles), 4), np.int64)
        finished, unscored = count_outcomes(goals, ended, counts)
        self.finished += finished
        self.unscored += unscored
        for account, own in zip(self.roles, counts.tolist(), strict=True):
            account.wins += own[WINS]
            account.draws += own[DRAWS]
            account.losses += own[LOSSES]
            account.goals += own[GOALS]
            account.scored += finished - unscored
        return int(unscored)
