"""Where arm, camera, hand and spare pieces are, around a board of any size."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, radians, tan

from gdl_env.robot.piece_motions import Spot
from gdl_env.robot.robot_setup import Geometry, Point
from gdl_env.robot.vision.pinhole import Pinhole

# The angle of view of the camera [degrees]: a small one sees less of the sides of pieces.
_VIEW = 30.0
# Spare pieces lie in rows of this many.
_ROW = 40


@dataclass(frozen=True)
class TableLayout:
    """Lengths in metres, in the frame of the board."""

    # The edges of all that has to be seen: board and trays.
    left: float
    right: float
    bottom: float
    top: float
    # Of the arm: the middle of its foot, the height of its shoulder, the length of its two links,
    # and how far it has to reach.
    base: tuple[float, float]
    shoulder: float
    link: float
    reach: float
    # From the wrist to the finger tips.
    wrist: float
    # How much larger than for a board with squares of 5 cm fingers are.
    scale: float
    camera: Pinhole
    # The first spare piece.
    store: tuple[float, float]
    surface: float

    def stored(self, number: int) -> Point:
        """Return where a spare piece stands that is not in play, out of the camera's view."""
        step = 0.09 * self.scale
        row, column = divmod(number, _ROW)
        return self.store[0] + column * step, self.store[1] - row * step, self.surface


def lay_out(geometry: Geometry, width: int, height: int) -> TableLayout:
    """Place everything around a board; `width` and `height` are those of a picture [pixels]."""
    setup = geometry.setup
    spots: list[Spot] = [*geometry.reader.places, *geometry.slots()]
    points = [geometry.point(spot) for spot in spots]
    margin = 1.1 * setup.square
    left = min(x for x, _, _ in points) - margin
    right = max(x for x, _, _ in points) + margin
    bottom = min(y for _, y, _ in points) - margin
    top = max(y for _, y, _ in points) + margin
    scale = setup.square / 0.05
    middle = (left + right) / 2, (bottom + top) / 2
    base = middle[0], top + 0.12 * scale + 0.2 * (top - bottom)
    reach = max(hypot(x - base[0], y - base[1]) for x, y, _ in points)
    wrist = 0.16 * scale
    shoulder = 0.25 * reach + wrist
    # With some bend left at the farthest point.
    link = 0.54 * hypot(reach, shoulder - wrist) + 0.03 * scale
    half = max((top - bottom) / 2, (right - left) / 2 * height / width)
    distance = half / tan(radians(_VIEW) / 2)
    camera = Pinhole(width, height, _VIEW, *middle, setup.surface + distance)
    store = left, bottom - 1.5 * half - 0.3
    return TableLayout(
        *(left, right, bottom, top, base, shoulder, link, reach, wrist, scale, camera),
        store=store,
        surface=setup.surface,
    )
