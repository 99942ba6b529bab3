"""What is known of a position: how good it is for the role that moves, and its best moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class RatedMove:
    """A move: how good it is for the role that makes it, 0 to 1, and how often it was tried."""

    move: str
    value: float
    visits: int = 0
    # Whether the value is certain, not an estimate.
    is_proven: bool = False


@dataclass(frozen=True)
class PositionRating:
    """What is known of a position so far."""

    role: str
    # For that role, 0 to 1.
    value: float
    is_proven: bool
    # The best first; a search that only looks for the best moves names no others.
    moves: tuple[RatedMove, ...]
    # How much it is based on: tries of a tree, or moves that were looked ahead.
    visits: int = 0
    depth: int = 0


class StudiedPosition(Protocol):
    """One position under study."""

    def grow(self, seconds: float) -> bool:
        """Search for some time; tell whether there is more to find."""

    def rate(self) -> PositionRating:
        """Return what is known so far. Raises AgentError if the agent rates no moves."""
