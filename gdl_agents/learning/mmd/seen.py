"""What a role has been shown: which lanes have something new for its memory.

Between its decisions a role may be shown more than the last view: what was shown once may be gone
when it decides. So each view that differs from the one before it in its match is an input, and so
is each decision. How often a view stays the same while others move is none: that must not be seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_env.environment.protocol import NO_ACTION


class SeenViews:
    """The last view of each seat (a role in a lane), and its last move, until it is an input."""

    def __init__(self, seats: int, observation_bytes: int) -> None:
        self._view = np.zeros((seats, observation_bytes), np.uint8)
        self._is_new = np.ones(seats, np.bool_)
        self.last = np.full(seats, NO_ACTION, np.int32)

    def begin(self, seats: NDArray[Any]) -> None:
        """Begin new matches in some seats: a mask, or places."""
        self._is_new[seats] = True
        self.last[seats] = NO_ACTION

    def find_news(
        self,
        view: NDArray[np.uint8],
        decides: NDArray[np.bool_],
        *,
        only_decisions: bool = False,
    ) -> NDArray[np.int64]:
        """Return the seats that have an input: they decide, or what they see has changed."""
        if only_decisions:
            return np.flatnonzero(decides)
        news = decides | self._is_new | (view != self._view).any(axis=1)
        self._view[:] = view
        self._is_new[:] = False
        return np.flatnonzero(news)

    def take_last(self, seats: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the own last moves of seats, NO_ACTION where they were an input before."""
        last = self.last[seats].astype(np.int64)
        self.last[seats] = NO_ACTION
        return last

    def to_tree(self) -> dict[str, Any]:
        """Return everything, to be restored later."""
        return {'view': self._view.copy(), 'new': self._is_new.copy(), 'last': self.last.copy()}

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned."""
        self._view, self._is_new = tree['view'].copy(), tree['new'].copy()
        self.last = tree['last'].copy()
