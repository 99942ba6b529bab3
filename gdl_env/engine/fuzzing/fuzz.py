"""Random games one after the other, up to the first mistake, which is made small."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import TypeAlias

from gdl_env.engine.fuzzing.reduction import reduce_game
from gdl_env.engine.fuzzing.rules import GeneratedGame
from gdl_env.engine.fuzzing.trial import Trial, TrialStatus

# Seconds for making a game smaller.
_REDUCTION = 600.0


# Tries the text of a game, on the engines named, or on all.
RunTrial: TypeAlias = Callable[[str, tuple[str, ...]], Trial]


@dataclass(frozen=True)
class Finding:
    """A game that shows a mistake, as small as it could be made, and what it shows."""

    game: GeneratedGame
    trial: Trial


@dataclass(frozen=True)
class Report:
    """What a run showed."""

    games: int
    states: int
    seconds: float
    statuses: Counter[TrialStatus]
    finding: Finding | None = None


def fuzz(
    make: Callable[[int], GeneratedGame],
    seed: int,
    games: int,
    seconds: float,
    run: RunTrial,
    on_game: Callable[[], object] = lambda: None,
    reduction: float = _REDUCTION,
) -> Report:
    """Try games until one shows a mistake, `games` were tried or the time is up.

    `make` makes a game from a number; `on_game` is called after each one. Raises what `make` does.
    """
    start = monotonic()
    states = 0
    statuses: Counter[TrialStatus] = Counter()
    for number in range(games):
        if monotonic() - start > seconds:
            break
        # Games of different seeds have nothing in common, neighbours included.
        game = make(seed * 1_000_000 + number)
        trial = run(game.text, ())
        states += trial.states
        statuses[trial.status] += 1
        on_game()
        if trial.is_found:
            finding = _reduce(Finding(game, trial), run, reduction)
            return Report(number + 1, states, monotonic() - start, statuses, finding)
    return Report(statuses.total(), states, monotonic() - start, statuses)


def _reduce(finding: Finding, run: RunTrial, seconds: float) -> Finding:
    best = finding

    def is_found(game: GeneratedGame) -> bool:
        nonlocal best
        trial = run(game.text, finding.trial.engines)
        if trial.status is not best.trial.status or trial.signature != best.trial.signature:
            return False
        best = Finding(game, trial)
        return True

    reduce_game(finding.game, is_found, seconds)
    return best
