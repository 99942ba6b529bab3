"""What a set of finished games says: means, results of each role, goal vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from gdl_env.engine.contract import NATURE, Playout, Role
from gdl_env.play.outcome import DRAWN, LOST, WON, outcome_of


@dataclass(frozen=True)
class Mean:
    """A mean with its standard error."""

    value: float
    error: float

    def __str__(self) -> str:
        return f'{self.value:.2f} ± {self.error:.2f}'


@dataclass(frozen=True)
class Share:
    """How often something happened, and the standard error of its share."""

    count: int
    total: int

    @property
    def value(self) -> float:
        """Return the share, from 0 to 1."""
        return self.count / self.total if self.total else 0.0

    @property
    def error(self) -> float:
        """Return the standard error of the share."""
        return sqrt(self.value * (1 - self.value) / self.total) if self.total else 0.0

    def __str__(self) -> str:
        return f'{100 * self.value:.1f} % ± {100 * self.error:.1f}' if self.total else '-'


@dataclass(frozen=True)
class RoleStatistics:
    """How one role did: what a win is, is defined in `outcomes`.

    Games that gave the role no goal are none of these; shares are those of the other games.
    """

    role: Role
    # None: no game gave the role a goal.
    goal: Mean | None
    wins: Share
    draws: Share
    losses: Share
    # Games that ended and gave the role no goal.
    without_goal: int


@dataclass(frozen=True)
class Summary:
    """The results of games."""

    games: int
    # Games that were stopped at the largest number of steps.
    cut: int
    # Games in which no role had a move, although they were not over.
    stuck: int
    steps: Mean
    roles: tuple[RoleStatistics, ...]
    # Goals in the order of the roles, most frequent first.
    outcomes: tuple[tuple[tuple[int | None, ...], Share], ...]


def summarise(playouts: Iterable[Playout], roles: Sequence[Role], max_steps: int) -> Summary:
    """Sum up games of at most `max_steps` steps. Goals of games without an end do not count."""
    played = list(playouts)
    finished = [playout for playout in played if playout.is_terminal]
    stuck = sum(not p.is_terminal and p.steps < max_steps for p in played)
    names = [role for role in roles if role != NATURE]
    vectors = Counter(tuple(p.goals.get(role) for role in names) for p in finished)
    return Summary(
        games=len(played),
        cut=len(played) - len(finished) - stuck,
        stuck=stuck,
        steps=mean([playout.steps for playout in played]),
        roles=tuple(_role_result(role, i, vectors) for i, role in enumerate(names)),
        outcomes=tuple((v, Share(n, len(finished))) for v, n in vectors.most_common()),
    )


def mean(values: Sequence[float]) -> Mean:
    """Return the mean of values; its standard error is 0 for fewer than two of them."""
    count = len(values)
    if not count:
        return Mean(0.0, 0.0)
    middle = sum(values) / count
    if count == 1:
        return Mean(middle, 0.0)
    variance = sum((value - middle) ** 2 for value in values) / (count - 1)
    return Mean(middle, sqrt(variance / count))


def _role_result(
    role: Role, index: int, vectors: Counter[tuple[int | None, ...]]
) -> RoleStatistics:
    results: Counter[int] = Counter()
    goals: list[float] = []
    without_goal = 0
    for vector, count in vectors.items():
        own = vector[index]
        if own is None:
            without_goal += count
            continue
        others = [goal for i, goal in enumerate(vector) if i != index and goal is not None]
        results[outcome_of(own, others)] += count
        goals += [float(own)] * count
    wins, draws, losses = (Share(results[o], len(goals)) for o in (WON, DRAWN, LOST))
    return RoleStatistics(role, mean(goals) if goals else None, wins, draws, losses, without_goal)
