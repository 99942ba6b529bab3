"""Pieces from pixels: squares of a picture are compared with what the camera was shown before.

Where squares are follows from the set-up and the camera, and how a piece looks from the picture
with which it learns: the board as a match begins, and the magazines with one piece of each kind.
So nothing is known of any game, and real pieces are learned as simulated ones are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from gdl_env.robot.errors import BoardError
from gdl_env.robot.perception import SeenSquares
from gdl_env.robot.positions import Place, Position
from gdl_env.robot.robot_setup import Geometry
from gdl_env.robot.trays import RESERVE
from gdl_env.robot.vision.pinhole import Pinhole

Pixels = NDArray[np.uint8]
_Patches = NDArray[np.float32]

# What lies on a square on which nothing looks as it should, such as a piece that has fallen.
UNKNOWN = ('unknown',)
# Points along the side of a patch.
_FINE = 16
# A piece may stand so far from the middle of its square [squares], and be turned by any angle.
_SHIFTS = (-0.06, -0.03, 0.0, 0.03, 0.06)
_TURNS = 24
# Mean squared differences of colours [grey levels squared]: patches that differ less look alike.
_ALIKE = 60.0
# What differs more from all that is known is something else.
_FOREIGN = 1100.0
# What differs so much from the empty table and reaches to the edge of the picture is a hand or an
# arm [grey levels], seen in blocks of so many pixels.
_COVERED, _BLOCK = 22.0, 8
# What has changed between two pictures [grey levels, share of the blocks]: something moves.
_MOVING, _MOVING_SHARE = 25.0, 0.0015
# How much less likely the piece that resembles another one most is: exp of this.
_CONTRAST = 7.0
# How sure it is that something is foreign: less than clear, more than anything else.
_FOREIGN_SHARE, _LEFT_SHARE = 0.45, 0.01
# Most patches that are kept of empty squares.
_EMPTIES = 12


@dataclass
class _Look:
    """How one piece looks: patches, turned by all angles that make a difference."""

    piece: str
    level: float
    patches: _Patches


class BoardEye:
    """Reads pictures of one table."""

    def __init__(self, geometry: Geometry, camera: Pinhole) -> None:
        self._geometry = geometry
        self._camera = camera
        self._square = geometry.setup.square
        self._looks: list[_Look] = []
        self._empties: _Patches = np.zeros((0, 0), np.float32)
        self._own_empties: dict[Place, _Patches] = {}
        self._coarse: _Patches = np.zeros((0, 0), np.float32)
        self._spread = 0.0
        # All squares, and where the pixels of their patches are: columns and rows, by what is cut.
        self._places: tuple[Place, ...] = ()
        self._maps: dict[object, tuple[NDArray[np.float32], NDArray[np.float32]]] = {}
        self._light = 0.0
        self._last: NDArray[np.float32] | None = None
        steps = (np.arange(_FINE) + 0.5) / _FINE * 2 - 1
        self._grid = np.stack(np.meshgrid(steps, -steps), axis=-1)
        self._mask = np.hypot(self._grid[..., 0], self._grid[..., 1]) < 0.95

    def learn(self, picture: Pixels, position: Position) -> None:
        """Learn from a picture of the table as it is known to be.

        Raises BoardError if it shows none of a piece, or no empty square.
        """
        image = _smooth(picture)
        self._light = _find_light(image)
        geometry = self._geometry
        places = geometry.reader.places
        shown: dict[str, tuple[float, float]] = {}
        magazines = geometry.empty_trays().magazines
        for slot in geometry.slots():
            if slot.tray == RESERVE and geometry.setup.counts.get(magazines[slot.number], 1):
                x, y, _ = geometry.point(slot)
                shown[magazines[slot.number]] = x, y
        for place, stack in position.items():
            if len(stack) == 1:
                x, y, _ = geometry.point(place)
                shown.setdefault(stack[0], (x, y))
        missing = [piece for piece in geometry.reader.pieces if piece not in shown]
        if missing:
            raise BoardError(f'the camera has not been shown a {missing[0]}')
        self._looks = [
            _Look(piece, self._level(piece), self._turn(image, piece, shown[piece]))
            for piece in geometry.reader.pieces
        ]
        empty = [place for place in places if place not in position]
        if not empty:
            raise BoardError('the camera has not been shown an empty square')
        points = np.array([geometry.point(place)[:2] for place in empty])
        patches = self._sample(image, *self._map(points, 0.0, 0.28))
        self._own_empties = dict(zip(empty, patches, strict=True))
        kept: list[_Patches] = []
        for patch in patches:
            if len(kept) < _EMPTIES and all(_apart(patch, other) > _ALIKE for other in kept):
                kept.append(patch)
        self._empties = np.stack(kept)
        self._coarse = _shrink(image)
        self._spread = self._find_spread() / _CONTRAST
        self._last = self._coarse

    def see(self, picture: Pixels) -> SeenSquares:
        """Return what stands on squares; those that are covered, or in motion, are left out."""
        image = _smooth(picture)
        noise = _find_noise(picture)
        image *= self._light / max(1.0, _find_light(image))
        coarse = _shrink(image)
        last, self._last = self._last, coarse
        if last is not None and _compare(coarse, last, _MOVING).mean() > _MOVING_SHARE:
            return {}
        if self._places != self._geometry.reader.places:
            self._places = self._geometry.reader.places
            self._maps.clear()
        covered = self._find_covered(coarse)
        costs = self._rate(image)
        return {
            place: self._weigh(cost, noise)
            for place, cost, is_covered in zip(self._places, costs, covered, strict=True)
            if not is_covered
        }

    # ---- patches

    def _level(self, piece: str) -> float:
        return self._geometry.setup.shape_of(piece).height

    def _cut(self, image: NDArray[np.float32], *where: float) -> _Patches:
        """Return round patches of all squares; `where` is a shift [squares] and a level [m]."""
        if where not in self._maps:
            right, up, level = where
            points = np.array([self._geometry.point(place)[:2] for place in self._places])
            shift = self._square * np.array([right, up])
            self._maps[where] = self._map(points + shift, level, 0.28)
        return self._sample(image, *self._maps[where])

    def _map(
        self, points: NDArray[np.float64], level: float, radius: float
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the columns and rows of the pixels of patches."""
        matrix = self._camera.matrix(self._geometry.setup.surface + level)
        grid = points[:, None, None, :] + radius * self._square * self._grid
        columns = (matrix[0, 0] * grid[..., 0] + matrix[0, 2]).astype(np.float32)
        rows = (matrix[1, 1] * grid[..., 1] + matrix[1, 2]).astype(np.float32)
        return columns[:, self._mask], rows[:, self._mask]

    def _sample(
        self,
        image: NDArray[np.float32],
        columns: NDArray[np.float32],
        rows: NDArray[np.float32],
    ) -> _Patches:
        cut = cv2.remap(image, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(cut.reshape(len(columns), -1), np.float32)

    def _turn(
        self, image: NDArray[np.float32], piece: str, point: tuple[float, float]
    ) -> _Patches:
        """Return how a piece looks from all sides."""
        level = self._level(piece)
        kept: list[_Patches] = []
        matrix = self._camera.matrix(self._geometry.setup.surface + level)
        column, row, _ = matrix @ (*point, 1.0)
        for number in range(_TURNS):
            turn = cv2.getRotationMatrix2D((float(column), float(row)), 360 * number / _TURNS, 1)
            size = image.shape[1], image.shape[0]
            turned = np.asarray(cv2.warpAffine(image, turn, size) if number else image, np.float32)
            (patch,) = self._sample(turned, *self._map(np.array([point]), level, 0.28))
            if all(_apart(patch, other) > _ALIKE for other in kept):
                kept.append(patch)
        return np.stack(kept)

    # ---- comparing

    def _rate(self, image: NDArray[np.float32]) -> Iterator[Mapping[tuple[str, ...], float]]:
        """Return how much each square differs from all that may stand there."""
        places = self._places
        ground = self._cut(image, 0.0, 0.0, 0.0)
        empty = _differ(ground, self._empties).min(axis=1)
        for number, place in enumerate(places):
            if place in self._own_empties:
                empty[number] = min(
                    empty[number], _apart(ground[number], self._own_empties[place])
                )
        found: dict[tuple[str, ...], NDArray[np.float32]] = {(): empty}
        shifted: dict[float, _Patches] = {}
        for look in self._looks:
            if look.level not in shifted:
                cuts = [
                    self._cut(image, right, up, look.level) for right in _SHIFTS for up in _SHIFTS
                ]
                shifted[look.level] = np.concatenate(cuts)
            differences = _differ(shifted[look.level], look.patches).min(axis=1)
            found[(look.piece,)] = differences.reshape(-1, len(places)).min(axis=0)
        for number in range(len(places)):
            yield {content: float(values[number]) for content, values in found.items()}

    def _weigh(
        self, costs: Mapping[tuple[str, ...], float], noise: float
    ) -> dict[tuple[str, ...], float]:
        """Turn differences into shares."""
        least = min(costs.values())
        if least > _FOREIGN + noise:
            return {UNKNOWN: _FOREIGN_SHARE, **dict.fromkeys(costs, _LEFT_SHARE)}
        weights = {c: float(np.exp((least - cost) / self._spread)) for c, cost in costs.items()}
        total = sum(weights.values())
        return {content: weight / total for content, weight in weights.items()}

    def _find_spread(self) -> float:
        """Return the least difference between two contents: what tells them apart."""
        every = [look.patches for look in self._looks] + [self._empties]
        pairs = [(one, other) for i, one in enumerate(every) for other in every[:i]]
        return max(_ALIKE, min(float(_differ(one, other).min()) for one, other in pairs))

    def _find_covered(self, coarse: NDArray[np.float32]) -> list[bool]:
        """Tell which squares are below something that reaches to the edge of the picture."""
        foreign = _compare(coarse, self._coarse, _COVERED).astype(np.uint8)
        # What is pale between two edges is still one thing.
        closed = cv2.morphologyEx(foreign, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
        _, parts = cv2.connectedComponents(closed)
        edge = np.concatenate([parts[0], parts[-1], parts[:, 0], parts[:, -1]])
        mask = np.isin(parts, edge[edge > 0]).astype(np.float32)
        wide = cv2.resize(cv2.dilate(mask, np.ones((3, 3))), None, fx=_BLOCK, fy=_BLOCK)
        picture = np.repeat(np.asarray(wide, np.float32)[..., None], 3, axis=2)
        levels = {0.0, *(look.level for look in self._looks)}
        cuts = [self._cut(picture, 0.0, 0.0, level) for level in levels]
        return [bool(found) for found in np.max([cut.max(axis=1) for cut in cuts], axis=0) > 0]


def _shrink(image: NDArray[np.float32]) -> NDArray[np.float32]:
    size = image.shape[1] // _BLOCK, image.shape[0] // _BLOCK
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.float32)


def _compare(
    one: NDArray[np.float32], other: NDArray[np.float32], least: float
) -> NDArray[np.bool_]:
    return np.asarray(np.abs(one - other).max(axis=2) > least)


def _smooth(picture: Pixels) -> NDArray[np.float32]:
    return np.asarray(cv2.GaussianBlur(picture.astype(np.float32), (0, 0), 0.9), np.float32)


def _find_light(image: NDArray[np.float32]) -> float:
    """Return how bright the rim of a picture is: the table, of which a hand covers little."""
    wide = max(1, image.shape[0] // 20)
    sides = image[:wide], image[-wide:], image[:, :wide], image[:, -wide:]
    return float(np.median(np.concatenate([side[::4, ::4].reshape(-1) for side in sides])))


def _find_noise(picture: Pixels) -> float:
    """Return the variance that noise has left after smoothing."""
    # The middle tells enough.
    high, wide = picture.shape[0] // 3, picture.shape[1] // 3
    middle = np.ascontiguousarray(picture[high : 2 * high, wide : 2 * wide])
    grey = cv2.cvtColor(middle, cv2.COLOR_RGB2GRAY).astype(np.float32)
    fine = grey - cv2.GaussianBlur(grey, (0, 0), 1.2)
    # From the median, which edges of pieces do not move.
    return float((1.4826 * np.median(np.abs(fine))) ** 2)


def _apart(one: _Patches, other: _Patches) -> float:
    return float(np.square(one - other).mean())


def _differ(some: _Patches, others: _Patches) -> NDArray[np.float32]:
    """Return the mean squared differences between all patches of two lists."""
    squares = (some**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)[None]
    products = some @ others.T
    return np.asarray(np.maximum(0, (squares - 2 * products) / some.shape[1]), np.float32)
