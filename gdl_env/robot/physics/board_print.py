"""The board as it is printed on the table: squares, lines and places of any board."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from gdl_env.robot.physics.piece_faces import parse_colour
from gdl_env.robot.positions import Place
from gdl_env.robot.robot_setup import Geometry

# Pixels of the side of a square.
_FINE = 40
_TABLE = (196, 186, 170)
_LIGHT, _DARK, _GREEN, _INK = (226, 205, 166), (150, 112, 78), (46, 120, 84), (60, 48, 36)
_SLOT = (172, 162, 146)


class BoardPrint:
    """A picture of the table between two corners, in the frame of the board."""

    def __init__(
        self, geometry: Geometry, left: float, right: float, bottom: float, top: float
    ) -> None:
        self._geometry = geometry
        self._left, self._top = left, top
        self._square = geometry.setup.square
        size = self._length(top - bottom), self._length(right - left)
        self._picture: NDArray[np.uint8] = np.full((*size, 3), _TABLE, np.uint8)

    def draw(self) -> NDArray[np.uint8]:
        """Return the picture, RGB, its upper edge at the top."""
        for slot in self._geometry.slots():
            self._disc(self._geometry.point(slot)[:2], 0.42, _SLOT, -1)
        for place in self._geometry.reader.places:
            self._draw_place(place)
        for label, board in self._geometry.reader.boards.items():
            if board.style == 'graph':
                for ends in board.edges:
                    one, other = (self._point(Place(label, 0, end)) for end in ends)
                    cv2.line(self._picture, one, other, _INK, 2, cv2.LINE_AA)
        return self._picture

    def _draw_place(self, place: Place) -> None:
        board = self._geometry.reader.boards[place.board]
        x, y, _ = self._geometry.point(place)
        if board.style in ('hex', 'holes', 'points', 'stacks', 'graph'):
            self._disc((x, y), 0.47, _LIGHT, -1)
            self._disc((x, y), 0.47, _INK, 1)
            return
        half = self._square / 2
        low, high = self._pixel(x - half, y - half), self._pixel(x + half, y + half)
        if board.style == 'checkered':
            is_dark = (place.row + place.column + (not board.is_turned)) % 2 == 0
            colour = parse_colour(board.dark) if board.dark else _DARK
            light = parse_colour(board.light) if board.light else _LIGHT
            cv2.rectangle(self._picture, low, high, colour if is_dark else light, -1)
            return
        cv2.rectangle(self._picture, low, high, _GREEN if board.style == 'green' else _LIGHT, -1)
        if board.style != 'lines':
            cv2.rectangle(self._picture, low, high, _INK, 1)
            return
        # Only between squares, as people draw it.
        last = len(board.columns) - 1, len(board.rows) - 1
        if place.column < last[0]:
            cv2.line(self._picture, (high[0], low[1]), high, _INK, 2)
        if place.row < last[1]:
            cv2.line(self._picture, (low[0], low[1]), (high[0], low[1]), _INK, 2)

    def _disc(
        self, point: tuple[float, float], radius: float, colour: tuple[int, int, int], thick: int
    ) -> None:
        size = int(radius * _FINE)
        cv2.circle(self._picture, self._pixel(*point), size, colour, thick, cv2.LINE_AA)

    def _point(self, place: Place) -> tuple[int, int]:
        return self._pixel(*self._geometry.point(place)[:2])

    def _length(self, metres: float) -> int:
        return round(metres / self._square * _FINE)

    def _pixel(self, x: float, y: float) -> tuple[int, int]:
        return self._length(x - self._left), self._length(self._top - y)
