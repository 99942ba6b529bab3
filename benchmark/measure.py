"""What contestants measure, and what a contestant is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
import math
import os
from pathlib import Path
from time import perf_counter, process_time

from rows import Row

# On a busy machine a measurement takes longer; this many times longer at most.
_PATIENCE = 4


class NotAvailableError(Exception):
    """A contestant cannot play a game here; the text says why."""


@dataclass(frozen=True)
class Run:
    """One measurement of random play."""

    steps: float
    # By the clock on the wall, and of processor time: the same on a quiet machine.
    seconds: float
    cpu_seconds: float

    @property
    def rate(self) -> float:
        """Return steps a second of processor time: what one core does."""
        return self.steps / self.cpu_seconds

    @property
    def wall_rate(self) -> float:
        """Return steps a second by the clock."""
        return self.steps / self.seconds


@dataclass(frozen=True)
class Sample:
    """How random games went: to see whether two programs play the same game."""

    games: int
    length: float
    # The standard error of the mean length.
    length_error: float
    # The share of games won by the role that begins, and the share of draws.
    wins: float
    draws: float


class Contestant(ABC):
    """A program that plays one game at random."""

    def __init__(self, row: Row) -> None:
        """Get ready. Raises NotAvailableError."""
        self.row = row

    @abstractmethod
    def play(self, seconds: float) -> Run:
        """Play random games for about this long."""

    @abstractmethod
    def sample(self, seconds: float) -> Sample:
        """Play random games for about this long and tell how they went."""

    def facts(self) -> dict[str, object]:
        """Return what else there is to say, such as sizes and versions."""
        return {}


def repeat(play: Callable[[], float], seconds: float) -> Run:
    """Call `play`, which returns the steps it made, until the time is over."""
    start, own_start, cpu_start = perf_counter(), process_time(), cpu_time()
    steps = 0.0
    while True:
        steps += play()
        # Reading the time of other processes is slow: once, at the end.
        if process_time() - own_start >= seconds or perf_counter() - start >= _PATIENCE * seconds:
            return Run(steps, perf_counter() - start, max(cpu_time() - cpu_start, 1e-3))


def cpu_time() -> float:
    """Return the processor time of this process and of those it has started, in seconds.

    Where the system does not tell of the others (without /proc), of this process only.
    """
    return process_time() + sum(map(_cpu_time_of, _children('self')))


def _children(process: str) -> list[str]:
    found: list[str] = []
    for file in Path(f'/proc/{process}/task').glob('*/children'):
        with suppress(OSError):
            for child in file.read_text('ascii').split():
                found += [child, *_children(child)]
    return found


def _cpu_time_of(process: str) -> float:
    try:
        # After the name, which stands in parentheses: times in user and system mode.
        fields = Path(f'/proc/{process}/stat').read_text('utf-8').rpartition(')')[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def to_sample(games: Iterable[tuple[int, float]]) -> Sample:
    """Sum up games given as (length, result of the role that begins: above, below or 0)."""
    games = list(games)
    count = len(games)
    mean = sum(length for length, _ in games) / count
    variance = sum((length - mean) ** 2 for length, _ in games) / max(1, count - 1)
    wins = sum(result > 0 for _, result in games) / count
    draws = sum(result == 0 for _, result in games) / count
    return Sample(count, mean, math.sqrt(variance / count), wins, draws)


class OneByOne(Contestant):
    """A program that plays one game after the other, with a call for each."""

    @abstractmethod
    def play_one(self) -> tuple[int, float]:
        """Play a random game; return its length, and the result of the role that begins."""

    def play(self, seconds: float) -> Run:
        return repeat(lambda: self.play_one()[0], seconds)

    def sample(self, seconds: float) -> Sample:
        games: list[tuple[int, float]] = []
        start = perf_counter()
        while not games or perf_counter() - start < seconds:
            games.append(self.play_one())
        return to_sample(games)


def distance(one: Sample, other: Sample) -> float:
    """Return how far two samples are apart, in standard errors: the largest of three."""
    spread = math.hypot(one.length_error, other.length_error)
    parts = [_ratio(one.length - other.length, spread)]
    for a, b in ((one.wins, other.wins), (one.draws, other.draws)):
        pooled = (a * one.games + b * other.games) / (one.games + other.games)
        error = math.sqrt(pooled * (1 - pooled) * (1 / one.games + 1 / other.games))
        parts.append(_ratio(a - b, error))
    return max(parts)


def _ratio(difference: float, error: float) -> float:
    if error == 0:
        return 0.0 if difference == 0 else math.inf
    return abs(difference) / error
