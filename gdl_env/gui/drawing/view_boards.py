"""What view files say of boards without rows and columns, of cards, and of the end of a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# Whose board a move is made on, seen from the player who makes it.
OWN, OTHER = 'own', 'other'


@dataclass(frozen=True)
class PointsView:
    """A board of points, as in backgammon: two sides of the same length, a bar between halves."""

    # How many there are on both sides together.
    length: int = 24
    # Owners that count from the other end.
    turned: tuple[str, ...] = ()
    # What the rules call the bar and the place of pieces that are off the board.
    bar: str = ''
    out: str = ''


@dataclass(frozen=True)
class GraphView:
    """Places anywhere, in a box of 100 by 100, and the lines between them."""

    nodes: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    edges: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class CardsView:
    """How cards are read and sorted."""

    # What is printed for ranks that have other names: '14' is A.
    ranks: Mapping[str, str] = field(default_factory=dict)
    # The order in a hand, by the names in the rules.
    order: tuple[str, ...] = ()


@dataclass(frozen=True)
class ResultView:
    """How the end of a game is described: in points, not goals, by parties, with a score."""

    # The goal of a player who has won or lost nothing, and how much more each point makes.
    zero: int = 0
    each: int = 0
    one: str = ''
    many: str = ''
    # Relations: (side player party) and (eyes player number).
    parties: str = ''
    score: str = ''
