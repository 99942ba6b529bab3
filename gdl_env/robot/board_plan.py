"""Where squares are in the plane: boards of any shape, side by side, in units of a square."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import dist, sqrt

from gdl_env.gui.drawing.scene import BoardPicture
from gdl_env.robot.positions import Place

# Rows of hexagons are closer than those of squares.
_HEX_STEP = sqrt(3) / 2
# Pieces that lie in a line on one square before a second layer begins.
_IN_LINE = {'points': 5, 'stacks': 10}


@dataclass(frozen=True)
class Spread:
    """Where a piece lies on its square: the middle, and how many pieces lie below it."""

    x: float
    y: float
    layer: int


class BoardPlane:
    """Boards side by side; the lower left corner of the first one is the origin."""

    def __init__(self, boards: Mapping[str, BoardPicture], gap: float) -> None:
        self._boards = boards
        self._left: dict[str, float] = {}
        left = 0.0
        for label, board in boards.items():
            self._left[label] = left
            left += _size(board)[0] + gap
        self.width = left - gap
        self.height = max(_size(board)[1] for board in boards.values())

    def find(self, place: Place, level: int = 0) -> Spread:
        """Return where a piece lies that has `level` other ones on its square before it."""
        board = self._boards[place.board]
        in_line = _IN_LINE.get(board.style, 1)
        x, y = _middle(board, place, level % in_line)
        return Spread(self._left[place.board] + x, y, level // in_line)


def _middle(board: BoardPicture, place: Place, number: int) -> tuple[float, float]:
    high = len(board.rows)
    if board.style == 'hex':
        return place.column + 0.5 * (1 + place.row), (high - 1 - place.row) * _HEX_STEP + 0.5
    if board.style == 'points':
        deep = 2 * _IN_LINE['points'] + 1
        return place.column + 0.5, (deep - 0.5 - number if place.row == 0 else 0.5 + number)
    if board.style == 'stacks':
        return place.column + 0.5, 0.5 + number
    if board.style == 'graph':
        scale, (x, y) = _graph_scale(board), board.nodes[place.column]
        return x * scale + 0.5, (100 - y) * scale + 0.5
    return place.column + 0.5, high - place.row - 0.5


def _size(board: BoardPicture) -> tuple[float, float]:
    wide, high = len(board.columns), len(board.rows)
    if board.style == 'hex':
        return wide + 0.5 * (high - 1), (high - 1) * _HEX_STEP + 1
    if board.style == 'points':
        return wide, 2 * _IN_LINE['points'] + 1
    if board.style == 'stacks':
        return wide, _IN_LINE['stacks']
    if board.style == 'graph':
        side = 100 * _graph_scale(board) + 1
        return side, side
    return wide, high


def _graph_scale(board: BoardPicture) -> float:
    """Return how far apart places are drawn so that the closest ones are a square apart."""
    pairs = [(a, b) for i, a in enumerate(board.nodes) for b in board.nodes[:i]]
    return 1.0 / min((dist(a, b) for a, b in pairs), default=100.0)
