"""How much opening a game may take: processor time, shared by all steps of it, and size."""

from __future__ import annotations

from dataclasses import dataclass
import time

from gdl_env.engine.grounding.errors import TimeLimitError


@dataclass(frozen=True)
class GroundingLimits:
    """When to give up: another engine takes the game then."""

    instances: int = 12_000_000
    # Processor time for opening a game: grounding, and the steps after it.
    seconds: float = 120.0
    iterations: int = 700


class Budget:
    """Processor time of this process, from now on: a busy machine does not use it up."""

    def __init__(self, seconds: float) -> None:
        """Begin to count."""
        self.seconds = seconds
        self._end = time.process_time() + seconds

    def part(self, seconds: float) -> Budget:
        """Return a budget of so many seconds, or of what is left of this one if that is less."""
        return Budget(min(seconds, self._end - time.process_time()))

    def check(self, step: str) -> None:
        """Raise TimeLimitError once the time is used up; `step` is what is being done."""
        if time.process_time() > self._end:
            raise TimeLimitError(
                f'not ready after {self.seconds:g} s of processor time (while {step})'
            )


# For what is small, or limited by its caller.
UNLIMITED = Budget(float('inf'))
