"""Random games one after the other, up to the first mistake, which is made small."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from math import inf
from threading import Event, Lock
from time import monotonic
from typing import TypeAlias

from gdl_env.engine.fuzzing.reduction import reduce_game
from gdl_env.engine.fuzzing.rules import GeneratedGame
from gdl_env.engine.fuzzing.trial import Trial, TrialStatus, TrialTask

# Seconds for making a game smaller.
_REDUCTION = 600.0
# The games of one seed are numbered from this multiple of it.
_APART = 1_000_000


# Tries a game: one that is made from a number, or the text of one.
RunTrial: TypeAlias = Callable[[int | str, TrialTask], Trial]


@dataclass(frozen=True)
class Finding:
    """A game that shows a mistake, as small as it could be made, and what it shows."""

    game: GeneratedGame
    trial: Trial


@dataclass
class FuzzReport:
    """What a run showed."""

    games: int = 0
    states: int = 0
    seconds: float = 0.0
    statuses: Counter[TrialStatus] = field(default_factory=Counter)
    # How many games each engine, and each part of one, took part in.
    seen: Counter[str] = field(default_factory=Counter)
    finding: Finding | None = None

    def add(self, trial: Trial) -> None:
        """Count a game."""
        self.games += 1
        self.states += trial.states
        self.statuses[trial.status] += 1
        self.seen.update(trial.seen)


@dataclass(frozen=True)
class FuzzPlan:
    """Which games are tried, and how."""

    # Makes a game from a number.
    make: Callable[[int], GeneratedGame]
    # The task for each game, by its place in the run.
    task: Callable[[int], TrialTask]
    seed: int
    games: int
    # No game begins after so many seconds.
    seconds: float = inf
    # The number of the first game, from 0.
    first: int = 0
    # Seconds for making a game smaller.
    reduction: float = _REDUCTION


def fuzz(
    plan: FuzzPlan, runs: Sequence[RunTrial], on_game: Callable[[], object] = lambda: None
) -> FuzzReport:
    """Try games, as many at a time as there are `runs`, until one shows a mistake.

    `on_game` is called after each one. Raises what `plan.make` does.
    """
    state = _Progress(plan, on_game)
    with ThreadPoolExecutor(len(runs)) as pool:
        try:
            for done in [pool.submit(state.work, run) for run in runs]:
                done.result()
        finally:
            state.stop.set()
    report = state.report
    if state.found is not None:
        number, trial = state.found
        # Games of different seeds have nothing in common, neighbours included.
        first = Finding(plan.make(plan.seed * _APART + number), trial)
        report.finding = _reduce(first, plan.task(number), runs[0], plan.reduction)
    report.seconds = monotonic() - state.start
    return report


class _Progress:
    """What the threads of a run share."""

    def __init__(self, plan: FuzzPlan, on_game: Callable[[], object]) -> None:
        self._plan = plan
        self._on_game = on_game
        self._lock = Lock()
        self._next = plan.first
        self.start = monotonic()
        self.stop = Event()
        self.report = FuzzReport()
        self.found: tuple[int, Trial] | None = None

    def work(self, run: RunTrial) -> None:
        """Try one game after the other."""
        plan = self._plan
        while not self.stop.is_set():
            with self._lock:
                number = self._next
                self._next += 1
            if number >= plan.first + plan.games or monotonic() - self.start > plan.seconds:
                return
            trial = run(plan.seed * _APART + number, plan.task(number))
            with self._lock:
                self.report.add(trial)
                self._on_game()
                if trial.is_found and (self.found is None or number < self.found[0]):
                    self.found = number, trial
                    self.stop.set()


def _reduce(finding: Finding, task: TrialTask, run: RunTrial, seconds: float) -> Finding:
    best = finding
    task = replace(task, engines=finding.trial.engines or task.engines)

    def is_found(game: GeneratedGame) -> bool:
        nonlocal best
        trial = run(game.text, task)
        if trial.status is not best.trial.status or trial.signature != best.trial.signature:
            return False
        best = Finding(game, trial)
        return True

    reduce_game(finding.game, is_found, seconds)
    return best
