"""A person's hand that moves pieces on the table with physics."""

from __future__ import annotations

import numpy as np

from gdl_env.robot.physics.scene_model import hand_home
from gdl_env.robot.physics.world import PieceBody, World
from gdl_env.robot.robot_setup import Point

_SPEED = 0.8
_PERIOD = 0.01


class PersonHand:
    """Takes pieces between two fingers, holds them firmly, and puts them down."""

    def __init__(self, world: World, lift: float) -> None:
        """`lift` is how high it carries pieces, so that they clear the others [m]."""
        self._world = world
        self._lift = lift

    def carry(self, body: PieceBody, target: Point, is_turned: bool = False) -> None:
        """Take a piece from wherever it lies, and put it down upright; `target` is its bottom."""
        half = body.kind.shape.height / 2
        x, y, z = self._world.point(body)
        self._go((x, y, z + self._lift))
        self._go((x, y, z))
        if self._world.turn_of(body) != (-1 if is_turned else 1):
            # Nobody sees how it is set upright in the hand.
            self._world.put(body, (x, y, z), is_turned)
            self._world.move_hand((x, y, z + half))
        self._world.hold(body)
        self._go((x, y, z + self._lift + half))
        x, y, z = target
        self._go((x, y, z + self._lift + half))
        # What touches the table is let go a hair above it.
        self._go((x, y, z + half + 0.001))
        self._world.hold(None)
        self._world.advance(0.1)
        self._go((x, y, z + self._lift + half))

    def leave(self) -> None:
        """Get out of the camera's view."""
        self._go(hand_home(self._world.layout))
        self._world.settle()

    def sweep(self, begin: Point, end: Point) -> None:
        """Knock against whatever stands on a line."""
        self._go((begin[0], begin[1], begin[2] + self._lift))
        self._go(begin)
        self._world.set_touch(True)
        self._go(end)
        self._world.set_touch(False)
        self._go((end[0], end[1], end[2] + self._lift))

    def _go(self, point: Point) -> None:
        begin = np.array(self._world.hand)
        way = np.array(point) - begin
        count = max(1, int(np.ceil(np.linalg.norm(way) / _SPEED / _PERIOD)))
        for share in np.arange(1, count + 1) / count:
            x, y, z = begin + share * way
            self._world.move_hand((float(x), float(y), float(z)))
            self._world.advance(_PERIOD)
