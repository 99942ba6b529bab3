"""How a match goes: wins, draws and losses of every role."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.outcomes import DRAWN, LOST, WON, outcome_of, outcomes


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

    def add_ends(self, goals: NDArray[np.int16]) -> None:
        """Count ended episodes: goals are roles by episodes, -1 where there is none.

        What a win is, is defined in `outcomes`.
        """
        count = goals.shape[1]
        self.finished += count
        if count == 1:
            self._add_end(goals[:, 0].tolist())
            return
        scored = (goals >= 0).all(axis=0)
        self.unscored += int(count - scored.sum())
        kept = goals[:, scored]
        if not kept.size:
            return
        for account, own, outcome in zip(self.roles, kept, outcomes(kept), strict=True):
            wins, losses = int((outcome == WON).sum()), int((outcome == LOST).sum())
            account.wins += wins
            account.losses += losses
            account.draws += len(own) - wins - losses
            account.goals += int(own.sum())
            account.scored += len(own)

    def _add_end(self, goals: list[int]) -> None:
        """Count one episode, which is quicker done one by one."""
        if min(goals, default=-1) < 0:
            self.unscored += 1
            return
        for place, (account, own) in enumerate(zip(self.roles, goals, strict=True)):
            outcome = outcome_of(own, goals[:place] + goals[place + 1 :])
            account.wins += outcome == WON
            account.draws += outcome == DRAWN
            account.losses += outcome == LOST
            account.goals += own
            account.scored += 1
