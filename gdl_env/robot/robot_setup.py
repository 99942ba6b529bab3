"""A set-up: where a board stands before an arm, how large everything is, and how it is grasped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil, cos, sin

from gdl_env.robot.board_plan import BoardPlane
from gdl_env.robot.piece_motions import Flips
from gdl_env.robot.positions import Place, Position, PositionReader
from gdl_env.robot.trays import CAPTURED, RESERVE, Slot, Trays

Point = tuple[float, float, float]

# Heights of chessmen, in sides of a square.
_FIGURES = {'king': 1.4, 'queen': 1.3, 'bishop': 1.1, 'knight': 1.0, 'rook': 0.9, 'pawn': 0.8}
_LOW = 0.4


@dataclass(frozen=True)
class BoardPose:
    """Where the frame of the board is in its parent frame: a place [m], then angles [rad]."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    roll: float = 0.0
    pitch: float = 0.0
    yaw: float = 0.0

    def to_parent(self, point: Point) -> Point:
        """Return a point of the board in the parent frame: turns about its fixed axes x, y, z."""
        x, y, z = point
        y, z = _turn(y, z, self.roll)
        z, x = _turn(z, x, self.pitch)
        x, y = _turn(x, y, self.yaw)
        return x + self.x, y + self.y, z + self.z


@dataclass(frozen=True)
class PieceShape:
    """How large a piece is and how it is held [m]."""

    height: float
    # The diameter.
    width: float
    # Where the fingers close, above the bottom of the piece.
    grasp: float
    # How far they open before.
    opening: float


@dataclass(frozen=True)
class TrayPlan:
    """A tray: the middle of its first slot [m]; slots follow upward, then to the right."""

    x: float
    y: float
    rows: int
    columns: int
    # From slot to slot [m].
    pitch: float

    def find(self, number: int) -> tuple[float, float]:
        """Return the middle of a slot."""
        return self.x + number // self.rows * self.pitch, self.y + number % self.rows * self.pitch


@dataclass(frozen=True)
class RobotSetup:
    """One set-up; lengths are in metres, and heights are above the frame of the board."""

    frame: str
    parent: str
    pose: BoardPose
    # The side of a square.
    square: float
    # The height of the surface on which pieces stand.
    surface: float
    # How high the bottom of a carried piece is above the surface.
    clearance: float
    # Squares between two boards.
    gap: float
    shape: PieceShape
    captured: TrayPlan
    reserve: TrayPlan
    shapes: Mapping[str, PieceShape] = field(default_factory=dict)
    # How many pieces the magazines hold; those that are not named never get empty.
    counts: Mapping[str, int] = field(default_factory=dict)
    flips: Flips = ()

    def shape_of(self, piece: str) -> PieceShape:
        """Return the shape of a piece."""
        return self.shapes.get(piece, self.shape)


class Geometry:
    """Where every spot of a set-up is, for one game."""

    def __init__(self, setup: RobotSetup, reader: PositionReader) -> None:
        self.setup = setup
        self.reader = reader
        self._plane = BoardPlane(reader.boards, setup.gap)

    @property
    def size(self) -> tuple[float, float]:
        """Return how wide and how high all boards are together [m]."""
        return self._plane.width * self.setup.square, self._plane.height * self.setup.square

    def empty_trays(self) -> Trays:
        """Return the trays as a match begins with them."""
        room = self.setup.captured.rows * self.setup.captured.columns
        slots = self.setup.reserve.rows * self.setup.reserve.columns
        return Trays(room, self.reader.pieces[:slots], dict(self.setup.counts))

    def slots(self) -> list[Slot]:
        """Return all slots of both trays."""
        room = self.setup.captured.rows * self.setup.captured.columns
        count = len(self.empty_trays().magazines)
        found = [Slot(CAPTURED, number) for number in range(room)]
        return found + [Slot(RESERVE, number) for number in range(count)]

    def point(self, spot: Place | Slot, below: tuple[str, ...] = ()) -> Point:
        """Return where the bottom of a piece is, in the frame of the board.

        `below` are the pieces that lie on the same square already, from the bottom.
        """
        setup = self.setup
        if isinstance(spot, Slot):
            tray = setup.captured if spot.tray == CAPTURED else setup.reserve
            return (*tray.find(spot.number), setup.surface)
        spread = self._plane.find(spot, len(below))
        # Pieces in a line stand on the board, others on those below them.
        under = below[len(below) - spread.layer :] if spread.layer else ()
        height = sum(setup.shape_of(piece).height for piece in under)
        return spread.x * setup.square, spread.y * setup.square, setup.surface + height

    def name(self, spot: Place | Slot) -> str:
        """Return the name of a spot in messages and frames."""
        return spot.name if isinstance(spot, Slot) else self.reader.name(spot)


def default_setup(reader: PositionReader, start: Position, square: float = 0.05) -> RobotSetup:
    """Return a set-up for the boards of a game: trays at both sides, pieces of usual sizes.

    `start` is the position a match starts from: all of its pieces can be captured.
    """
    plane = BoardPlane(reader.boards, 1.5)
    # Pieces of the trays stand as far apart as those on the board.
    rows = max(2, int(plane.height))
    room = sum(map(len, start.values())) or 2
    left = ceil(room / rows)
    right = ceil(len(reader.pieces) / rows)
    half = square / 2
    return RobotSetup(
        frame='board',
        parent='',
        pose=BoardPose(),
        square=square,
        surface=0.0,
        clearance=1.6 * square,
        gap=1.5,
        shape=_shape(_LOW, square),
        captured=TrayPlan(-half - left * square, half, rows, left, square),
        reserve=TrayPlan((plane.width + 1) * square + half, half, rows, max(1, right), square),
        shapes=_find_shapes(reader.pieces, square),
        flips=_find_flips(reader),
    )


def _find_shapes(pieces: tuple[str, ...], square: float) -> dict[str, PieceShape]:
    """Return the shapes of chessmen, where the pieces are chessmen; kings of checkers are not."""
    figures = {piece: piece.rpartition(' ')[2] for piece in pieces}
    if not {'rook', 'knight', 'bishop'} & set(figures.values()):
        return {}
    return {
        piece: _shape(_FIGURES[figure], square)
        for piece, figure in figures.items()
        if figure in _FIGURES
    }


def _shape(height: float, square: float) -> PieceShape:
    return PieceShape(height * square, 0.6 * square, 0.6 * height * square, 0.9 * square)


def _find_flips(reader: PositionReader) -> Flips:
    """Return the two sides of discs on boards on which discs are turned over."""
    is_green = any(board.style == 'green' for board in reader.boards.values())
    return (frozenset(reader.pieces),) if is_green and len(reader.pieces) == 2 else ()


def _turn(first: float, second: float, angle: float) -> tuple[float, float]:
    return (
        first * cos(angle) - second * sin(angle),
        first * sin(angle) + second * cos(angle),
    )
