"""What a set of finished games says: means, results of each role, goal vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from gdl_env.engine.contract import NATURE, Playout, Role


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
        return f'{100 * self.value:.1f} % ± {100 * self.error:.1f}'


@dataclass(frozen=True)
class RoleResult:
    """How one role did. A win is the highest goal alone, a draw is shared, all else is a loss."""

    role: Role
    goal: Mean
    wins: Share
    draws: Share
    losses: Share


@dataclass(frozen=True)
class Summary:
    """The results of games."""

    games: int
    # Games that were stopped at the largest number of steps.
    cut: int
    steps: Mean
    roles: tuple[RoleResult, ...]
    # Goals in the order of the roles, most frequent first.
    outcomes: tuple[tuple[tuple[int | None, ...], Share], ...]


def summarise(playouts: Iterable[Playout], roles: Sequence[Role]) -> Summary:
    """Sum up games. Goals of games that were cut short do not count."""
    played = list(playouts)
    finished = [playout for playout in played if playout.is_terminal]
    names = [role for role in roles if role != NATURE]
    vectors = Counter(tuple(p.goals.get(role) for role in names) for p in finished)
    return Summary(
        games=len(played),
        cut=len(played) - len(finished),
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


def _role_result(role: Role, index: int, vectors: Counter[tuple[int | None, ...]]) -> RoleResult:
    results: Counter[str] = Counter()
    goals: list[float] = []
    for vector, count in vectors.items():
        results[_result(vector, index)] += count
        goals += [float(vector[index] or 0)] * count
    total = sum(vectors.values())
    wins, draws, losses = (Share(results[name], total) for name in ('win', 'draw', 'loss'))
    return RoleResult(role, mean(goals), wins, draws, losses)


def _result(vector: tuple[int | None, ...], index: int) -> str:
    own = vector[index] or 0
    others = [goal or 0 for i, goal in enumerate(vector) if i != index]
    if not others:
        return 'win' if own == 100 else 'loss'
    if own > max(others):
        return 'win'
    return 'draw' if own == max(others) else 'loss'
