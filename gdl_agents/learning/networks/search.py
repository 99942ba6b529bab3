"""The search for a network: grow one that is small, as long as growing helps.

In the manner of AdaNet (Cortes et al., 2017): each round trains candidates that extend the best
network so far, and keeps one only if it is better. Unlike there, a larger network replaces the
smaller one instead of joining it in an ensemble, since a player that moves a thousand times a
second should ask one network. Nothing here trains: a callback does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf, isfinite, isnan
from typing import TypeAlias

from gdl_agents.learning.networks.errors import NetworkError
from gdl_agents.learning.networks.growth import grow
from gdl_agents.learning.networks.spec import NetworkSpec

# Trains a network for a budget, whose unit is the callback's own; more is better. A training that
# came to nothing may give nan.
Evaluate: TypeAlias = Callable[[NetworkSpec, int], float]
Grow: TypeAlias = Callable[[NetworkSpec], Iterable[NetworkSpec]]


@dataclass(frozen=True)
class Candidate:
    """A network that was tried."""

    spec: NetworkSpec
    # Minus infinity if its training came to nothing.
    score: float
    # 0 is the network the search began with.
    round: int


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
    start: NetworkSpec,
    evaluate: Evaluate,
    budget: int,
    *,
    rounds: int = 8,
    least_gain: float = 0.0,
    grow: Grow = grow,
    report: Callable[[Candidate], None] = lambda candidate: None,
) -> SearchResult:
    """Grow a network until that does not help, or the rounds are over.

    A larger network is kept if its score is better by more than `least_gain`; of several, the
    best. `report` receives each candidate when its score is known. Raises what `evaluate` does.
    """

    def attempt(spec: NetworkSpec, number: int) -> Candidate:
        score = float(evaluate(spec, budget))
        candidate = Candidate(spec, -inf if isnan(score) else score, number)
        report(candidate)
        return candidate

    best = attempt(start, 0)
    tried = {start: best}
    for number in range(1, rounds + 1):
        grown = []
        for spec in grow(best.spec):
            if spec not in tried:
                tried[spec] = attempt(spec, number)
                grown.append(tried[spec])
        winner = max(grown, key=lambda candidate: candidate.score, default=best)
        if not winner.score > best.score + least_gain:
            break
        best = winner
    return SearchResult(tuple(tried.values()), best)
