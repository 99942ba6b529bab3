"""The search for a network: grow one that is small, as long as growing helps.

In the manner of AdaNet (Cortes et al., 2017): each round trains candidates that extend the best
network so far, and keeps one only if its score, less a penalty for its complexity, is better, and
by more than noise. A larger network replaces the smaller one, or stands beside it in an ensemble
whose parts one head hears (`grow_or_join`). Nothing here trains: a callback does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import hypot, inf, isfinite, isnan, sqrt
from statistics import fmean, stdev
from typing import TypeAlias

from gdl_agents.learning.networks.errors import NetworkError
from gdl_agents.learning.networks.growth import grow
from gdl_agents.learning.networks.spec import NetworkSpec

# Trains a network for a budget, whose unit is the callback's own; more is better. A training that
# came to nothing may give nan. Several scores are those of several seeds.
Evaluate: TypeAlias = Callable[[NetworkSpec, int], float | Sequence[float]]
Grow: TypeAlias = Callable[[NetworkSpec], Iterable[NetworkSpec]]


class SearchOverError(NetworkError):
    """There is no time for another candidate: the search ends with what it has."""


@dataclass(frozen=True)
class Candidate:
    """A network that was tried."""

    spec: NetworkSpec
    # The mean over seeds; minus infinity if its training came to nothing.
    score: float
    # 0 is a network the search began with.
    round: int
    # The standard error of the score, 0 if there was one seed only.
    error: float = 0.0
    # What its complexity costs.
    penalty: float = 0.0

    @property
    def objective(self) -> float:
        """Return what candidates are compared by."""
        return self.score - self.penalty

    @property
    def interval(self) -> float:
        """Return half of the 95 % interval of the score."""
        return 1.96 * self.error


def judge_scores(
    spec: NetworkSpec, scores: float | Sequence[float], number: int, penalty: float = 0.0
) -> Candidate:
    """Return a candidate with the mean of its scores, and how sure that is."""
    known = [scores] if isinstance(scores, int | float) else list(scores)
    known = [-inf if isnan(score) else float(score) for score in known]
    error = (
        stdev(known) / sqrt(len(known)) if len(known) > 1 and all(map(isfinite, known)) else 0.0
    )
    return Candidate(spec, fmean(known), number, error, penalty)


@dataclass(frozen=True)
class Objective:
    """What makes one candidate better than another."""

    # How complex a network is, and what a unit of that costs.
    complexity: Callable[[NetworkSpec], float] = lambda spec: 0.0
    penalty: float = 0.0
    # By how many standard errors a larger network must be better.
    noise: float = 0.0

    def cost(self, spec: NetworkSpec) -> float:
        """Return what the complexity of a network costs."""
        return self.penalty * self.complexity(spec)

    def is_better(self, one: Candidate, other: Candidate, least_gain: float) -> bool:
        """Tell whether a candidate is better by more than a gain, and by more than noise."""
        doubt = self.noise * hypot(one.error, other.error)
        return one.objective > other.objective + max(least_gain, doubt)


@dataclass(frozen=True)
class SearchResult:
    """All networks that were tried, in their order."""

    candidates: tuple[Candidate, ...]
    # The last one that was worth its growth, which a larger one may surpass by a little.
    best: Candidate

    def levels(self, count: int) -> tuple[Candidate, ...]:
        """Return up to this many candidates for levels of difficulty, the weakest first.

        Their scores are as evenly apart as there are candidates for it; the last is the best.
        """
        if count < 1:
            raise NetworkError(f'levels of difficulty are 1 or more, got {count}')
        usable = [c for c in self.candidates if isfinite(c.score) and c.score < self.best.score]
        if count == 1 or not usable:
            return (self.best,)
        low = min(candidate.score for candidate in usable)
        step = (self.best.score - low) / (count - 1)
        wanted = (low + step * index for index in range(count - 1))
        chosen = [min(usable, key=lambda c: abs(c.score - goal)) for goal in wanted]
        return (*dict.fromkeys(chosen), self.best)


def search(
    start: NetworkSpec | Sequence[NetworkSpec],
    evaluate: Evaluate,
    budget: int,
    *,
    rounds: int = 8,
    least_gain: float = 0.0,
    grow: Grow = grow,
    report: Callable[[Candidate], None] = lambda candidate: None,
    objective: Objective | None = None,
) -> SearchResult:
    """Grow a network until that does not help, or the rounds are over.

    Of several to start from, the best is grown. A larger network is kept if it is better by more
    than `least_gain`; of several, the best. `report` receives each candidate when its score is
    known. `evaluate` may raise SearchOverError, which ends the search, if anything was tried.
    Raises what `evaluate` does.
    """
    objective = objective or Objective()

    def attempt(spec: NetworkSpec, number: int) -> Candidate:
        candidate = judge_scores(spec, evaluate(spec, budget), number, objective.cost(spec))
        report(candidate)
        return candidate

    tried: dict[NetworkSpec, Candidate] = {}
    beginnings = [start] if isinstance(start, NetworkSpec) else list(start)
    try:
        for spec in beginnings:
            if spec not in tried:
                tried[spec] = attempt(spec, 0)
    except SearchOverError:
        if not tried:
            raise
        return SearchResult(tuple(tried.values()), _best(tried.values()))
    best = _best(tried.values())
    grown: list[Candidate] = []
    for number in range(1, rounds + 1):
        grown.clear()
        is_over = False
        try:
            for spec in grow(best.spec):
                if spec not in tried:
                    tried[spec] = attempt(spec, number)
                    grown.append(tried[spec])
        except SearchOverError:
            is_over = True
        winner = _best(grown) if grown else best
        if not objective.is_better(winner, best, least_gain):
            break
        best = winner
        if is_over:
            break
    return SearchResult(tuple(tried.values()), best)


def _best(candidates: Iterable[Candidate]) -> Candidate:
    return max(candidates, key=lambda candidate: candidate.objective)
