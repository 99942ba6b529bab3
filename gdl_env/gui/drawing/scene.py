"""What is drawn: plain values that a page can be given as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

# A square: row from the top and column from the left, counted from 0.
Square = tuple[int, int]


@dataclass(frozen=True)
class Piece:
    """What stands on a square.

    The kind says how it is drawn: cross, ring, disc, king (a crowned disc), chess (its figure is
    `text`), stone, tile (a word), wall, box, target, person, hole, exit, bike, object, glyph
    (characters) or svg (the inside of a 100 x 100 box).
    """

    kind: str
    text: str = ''
    # CSS colours.
    fill: str = ''
    edge: str = ''
    # What people call it.
    label: str = ''
    # Clockwise, from looking up [degrees].
    turn: int = 0


@dataclass(frozen=True)
class BoardPicture:
    """A board: the style is plain, lines, checkered, green, hex or holes (discs drop in).

    Or it has no rows and columns: points (two sides of stacks), stacks (side by side) or graph.
    Their squares have the same names all the same, so that all boards are played on alike.
    """

    name: str
    style: str
    columns: tuple[str, ...]
    # From the top.
    rows: tuple[str, ...]
    # Squares with something on them, by 'row,column'.
    pieces: Mapping[str, tuple[Piece, ...]]
    # Whether squares of which nothing is known may hold something all the same.
    is_hidden: bool = False
    # Whether the square at the top left is a dark one.
    is_turned: bool = False
    light: str = ''
    dark: str = ''
    line: str = ''
    # Colours of the sides that a player has to reach: top, bottom, left, right.
    sides: Mapping[str, str] = field(default_factory=dict)
    # What people call squares, by 'row,column', where it is not their column and row.
    names: Mapping[str, str] = field(default_factory=dict)
    # How many pieces a stack has room for.
    depth: int = 1
    # Of a graph: where its places are, in a box of 100 by 100, and the lines between them.
    nodes: tuple[tuple[float, float], ...] = ()
    edges: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class CardPicture:
    """A playing card; one that lies face down has nothing on it."""

    rank: str = ''
    suit: str = ''
    is_red: bool = False
    label: str = ''
    is_up: bool = True
    # The terms by which moves name it.
    keys: tuple[str, ...] = ()
    # Of a domino: the numbers of its two halves.
    ends: tuple[int, ...] = ()


@dataclass(frozen=True)
class CardGroup:
    """Cards that lie together, such as the hand of a role."""

    title: str
    cards: tuple[CardPicture, ...]
    # Whether they are the viewer's.
    is_own: bool = False


@dataclass(frozen=True)
class SeatPicture:
    """A player at a table of cards, and all that lies there."""

    role: str
    name: str
    is_own: bool = False
    # The hand; those of others lie face down.
    cards: tuple[CardPicture, ...] = ()
    # What it has played to the trick.
    played: tuple[CardPicture, ...] = ()
    piles: tuple[CardGroup, ...] = ()
    notes: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    # -1: there is no money in the game.
    money: int = -1


@dataclass(frozen=True)
class TablePicture:
    """Players around a table, clockwise from the viewer, and what lies in the middle."""

    seats: tuple[SeatPicture, ...]
    piles: tuple[CardGroup, ...] = ()
    notes: tuple[str, ...] = ()
    money: int = -1


@dataclass(frozen=True)
class FactTable:
    """Facts of one relation, or what is left of all."""

    title: str
    rows: tuple[tuple[str, ...], ...]
    # Nothing of it is shown to the viewer.
    is_hidden: bool = False


@dataclass(frozen=True)
class MovePicture:
    """A legal move, and where to click for it."""

    text: str
    label: str
    # Number of the board; -1 if it has no place on any.
    board: int = -1
    # Squares to click, one after the other: where it goes, or from where and to where.
    path: tuple[Square, ...] = ()
    # A whole column or row to click.
    column: int = -1
    row: int = -1
    # The card it plays.
    card: str = ''
    # An arrow key or a swipe: up, down, left or right.
    arrow: str = ''
    # The question it answers.
    ask: str = ''

    def to_arrow(self, kind: str, strength: float = 0.75) -> dict[str, Any]:
        """Return it as an arrow over its board, or a ring around the only square it names.

        Without a square, `to` is empty.
        """
        squares = [f'{row},{column}' for row, column in self.path]
        start, target = squares[0] if len(squares) > 1 else '', (squares or [''])[-1]
        how = {'kind': kind, 'strength': strength}
        return {'board': self.board, 'from': start, 'to': target, **how}


@dataclass(frozen=True)
class Scene:
    """Everything that one viewer sees at one time."""

    boards: tuple[BoardPicture, ...] = ()
    cards: tuple[CardGroup, ...] = ()
    # Cards with players around them, where the view file says who holds what.
    table: TablePicture | None = None
    dice: tuple[int, ...] = ()
    tables: tuple[FactTable, ...] = ()
    moves: tuple[MovePicture, ...] = ()
    # Facts of one word or one value: 'step 3'.
    notes: tuple[str, ...] = ()
    # What is hidden from this viewer, in words.
    hidden: tuple[str, ...] = ()
    # How an agent rates each square, 0 to 1, by 'board:row,column'.
    heat: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the scene as plain data."""
        return asdict(self)
