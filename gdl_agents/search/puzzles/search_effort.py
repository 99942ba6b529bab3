"""How long a search may take: by a clock, by a number of states, or until it is not wanted."""

from __future__ import annotations

from collections.abc import Callable


class SearchEffort:
    """What is left of the time, and of the states that may be made."""

    def __init__(
        self,
        clock: Callable[[], float],
        end: float,
        states: int = 0,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        """Begin with a number of states; 0: as many as there is time for."""
        self._clock = clock
        self._end = end
        self._states = states or 1 << 62
        self._is_wanted = is_wanted
        # States that were made so far.
        self.made = 0

    def spend(self, states: int) -> None:
        """Count states that were made."""
        self.made += states

    def take(self, states: int) -> SearchEffort:
        """Return a part of it; what is spent of the part must be spent of the whole."""
        left = min(states, self._states - self.made)
        return SearchEffort(self._clock, self._end, left, self._is_wanted)

    @property
    def is_over(self) -> bool:
        """Tell whether the search must end."""
        return self.made >= self._states or self._clock() >= self._end or not self._is_wanted()
