"""How long the episodes of a goal took: from their first tick to the last."""

from __future__ import annotations

from time import monotonic


class PlayingTime:
    """A stopwatch; waiting for agents before the first tick does not count."""

    def __init__(self) -> None:
        self._first: float | None = None
        self._last: float | None = None

    def reset(self) -> None:
        """Forget what was played before."""
        self._first = self._last = None

    def start(self) -> None:
        """Note the first tick; called again, it does nothing."""
        self._first = monotonic() if self._first is None else self._first

    def stop(self) -> None:
        """Note the last tick."""
        self._last = monotonic()

    @property
    def seconds(self) -> float:
        """Return the time up to the last tick, or up to now [s]."""
        if self._first is None:
            return 0.0
        return (self._last or monotonic()) - self._first
