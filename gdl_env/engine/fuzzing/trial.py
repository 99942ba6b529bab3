"""What is done with a game, and what it showed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class TrialStatus(Enum):
    """What a game showed."""

    AGREE = 'agree'
    DISAGREE = 'disagree'
    # An engine failed with an error that is none of ours, or its process died.
    CRASH = 'crash'
    # A limit of time, memory or numbers was met.
    CUT = 'cut short'
    INVALID = 'not a valid game'
    # Fewer than two engines can run it.
    ALONE = 'no other engine'


class Part(Enum):
    """What gives answers, besides engines by their names."""

    BATCHES = 'batches'
    MACHINE_CODE = 'machine code'
    SEARCH = 'search'
    RANDOM_PLAY = 'random play'
    STANDALONE = 'standalone'


@dataclass(frozen=True)
class TrialTask:
    """What is done with a game."""

    engines: tuple[str, ...]
    # The states of random walks that each pair of engines is compared on.
    states: int
    seed: int
    # Whether the standalone program is run, too.
    has_standalone: bool = False
    # Seconds for one game in all, and for one question to an engine.
    seconds: float = 60.0
    time_limit: float = 10.0


@dataclass(frozen=True)
class Trial:
    """What the engines showed on one game."""

    status: TrialStatus
    states: int = 0
    # The engines and parts that took part.
    seen: tuple[str, ...] = ()
    # Two trials with the same signature show the same mistake.
    signature: str = ''
    # The engines that show it; empty for all.
    engines: tuple[str, ...] = ()
    # In words, for a reader.
    remark: str = ''
    recording: tuple[str, ...] = ()

    @property
    def is_found(self) -> bool:
        """Tell whether it shows a mistake."""
        return self.status in {TrialStatus.DISAGREE, TrialStatus.CRASH}
