"""Bodies that pieces are made of: a disc that is turned over is one body with two names."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from gdl_env.robot.positions import Position
from gdl_env.robot.robot_setup import Geometry, PieceShape


@dataclass(frozen=True)
class PieceKind:
    """Pieces that are alike: what they are called when their top is up, and when it is down."""

    name: str
    # '' if nothing is printed below.
    below: str
    shape: PieceShape
    # How many there are, with those in store.
    count: int

    def holds(self, piece: str) -> bool:
        """Tell whether such a body can be that piece."""
        return piece in (self.name, self.below)


def find_kinds(geometry: Geometry, start: Position, spare: int) -> tuple[PieceKind, ...]:
    """Return the kinds of a game: as many as a match begins with, and some spare ones of each."""
    counts = Counter(piece for stack in start.values() for piece in stack)
    setup, kinds = geometry.setup, []
    turned: set[str] = set()
    for piece in geometry.reader.pieces:
        if piece in turned:
            continue
        pair = next((pair for pair in setup.flips if piece in pair), frozenset({piece}))
        below = next(iter(pair - {piece}), '')
        turned |= pair
        # One lies in each magazine.
        count = counts[piece] + counts[below] + spare + len(pair)
        kinds.append(PieceKind(piece, below, setup.shape_of(piece), count))
    return tuple(kinds)
