"""A camera above a board: where points of the table are in its pictures."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians, tan

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Pinhole:
    """A camera that looks straight down, with the board's upper edge at the top of its pictures.

    `x`, `y` and `z` are where it is in the frame of the board [m].
    """

    width: int
    height: int
    # The angle from the lower to the upper edge of a picture [degrees].
    view: float
    x: float
    y: float
    z: float

    @property
    def focal(self) -> float:
        """Return the focal length [pixels]."""
        return self.height / 2 / tan(radians(self.view) / 2)

    def matrix(self, level: float) -> NDArray[np.float64]:
        """Return the homography from a plane `level` above the board [m] to the pixels."""
        scale = self.focal / (self.z - level)
        # Pixels are counted from the middle of the first one.
        middle = (self.width - 1) / 2, (self.height - 1) / 2
        return np.array(
            [
                [scale, 0.0, middle[0] - scale * self.x],
                [0.0, -scale, middle[1] + scale * self.y],
                [0.0, 0.0, 1.0],
            ]
        )

    def project(self, x: float, y: float, level: float) -> tuple[float, float]:
        """Return the pixel of a point."""
        column, row, _ = self.matrix(level) @ (x, y, 1.0)
        return float(column), float(row)
