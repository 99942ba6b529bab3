"""The arm at work: plans paths, follows them in time, closes and opens the gripper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import pi
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_env.robot.physics.arm_model import ARM_JOINTS, GRIP
from gdl_env.robot.physics.kinematics import ArmKinematics, Joints
from gdl_env.robot.physics.world import World
from gdl_env.robot.robot_setup import Point

# Fingers close along a diagonal of the squares, where neighbours are farthest.
_DIAGONALS = (pi / 4, -pi / 4)
# Of the tip along a line [m/s], and of every joint [rad/s].
_LINE_SPEED = 0.7
_CAREFUL_SPEED = 0.25
_JOINT_SPEED = 2.5
# Between two commands to the servos [s].
_PERIOD = 0.01
# How long servos take to catch up [s], fingers to close or open, pads to turn by half a turn.
_CATCH_UP, _FINGERS, _TURN = 0.08, 0.25, 0.5
# Fingers are told to close so far inside a piece that they press with all their force [m].
_PRESS = 0.01


@dataclass(frozen=True)
class JointPath:
    """Where the joints of the arm are to be, and when [s]."""

    times: NDArray[np.float64]
    angles: NDArray[np.float64]


# Is shown each path before it is followed.
OnPath: TypeAlias = Callable[[JointPath], None]


class Arm:
    """Moves the tip of the gripper along straight lines."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._kinematics = ArmKinematics(world.layout)
        self._angles: Joints = self._kinematics.rest
        # None: at rest, or somewhere on the way to it.
        self._tip: Point | None = None
        self._turned = 0.0
        # How fingers close now, and how they are to close from the next point on.
        self._yaw = self._next_yaw = _DIAGONALS[0]
        self.on_path: OnPath = lambda path: None
        world.place_arm([float(angle) for angle in self._angles])

    def go(self, point: Point, is_careful: bool = False) -> None:
        """Move the tip to a point. Raises MotionError if it is out of reach."""
        speed = _CAREFUL_SPEED if is_careful else _LINE_SPEED
        if self._tip is None:
            angles = self._kinematics.start(point, self._next_yaw)
            self._follow([self._angles, angles], 0.0)
        else:
            yaws = self._yaw, self._next_yaw
            line = self._kinematics.line(self._tip, point, yaws, self._angles)
            length = float(np.linalg.norm(np.subtract(point, self._tip)))
            self._follow([self._angles, *line], 1.9 * length / speed)
        self._tip, self._yaw = point, self._next_yaw

    def turn_fingers(self) -> None:
        """Let the fingers close along the other diagonal from the next point on."""
        self._next_yaw = _DIAGONALS[self._next_yaw == _DIAGONALS[0]]

    def rest(self) -> None:
        """Get out of the camera's view."""
        if self._tip is not None:
            self._follow([self._angles, self._kinematics.rest], 0.0)
            self._tip = None
        self._world.command({'turn': 0.0})
        self._turned = 0.0

    def open(self, width: float) -> None:
        """Open the fingers, so far that something of that width fits between the pads [m]."""
        self._world.command({'grip': width / 2})
        self._world.advance(_FINGERS)

    def close(self, width: float) -> float:
        """Close the fingers on something; return how far the pads are apart then [m]."""
        self._world.command({'grip': width / 2 - _PRESS})
        self._world.advance(_FINGERS)
        return self._world.gap()

    def turn(self) -> None:
        """Turn over what the pads hold."""
        self._turned = pi if self._turned == 0.0 else 0.0
        begin = pi - self._turned
        for share in np.arange(_PERIOD, _TURN + _PERIOD, _PERIOD) / _TURN:
            self._world.command({'turn': begin + _smooth(share) * (self._turned - begin)})
            self._world.advance(_PERIOD)
        self._world.advance(_CATCH_UP)

    def lose_grip(self) -> None:
        """Hold on with almost no force, for a moment: what is held falls or slips."""
        self._world.loosen(0.02)
        self._world.command({'grip': self._world.gap() / 2 + 0.002})
        self._world.advance(0.15)
        self._world.loosen(GRIP)

    def _follow(self, stops: Sequence[Joints], seconds: float) -> None:
        """Follow a path in at least that time, slower if a joint would be too fast."""
        angles = np.array(stops)
        shares = np.linspace(0.0, 1.0, len(stops))
        # The fastest moment of a smooth path is 1.875 times as fast as its mean.
        steps = np.abs(np.diff(angles, axis=0)).max() * (len(stops) - 1)
        seconds = max(seconds, 1.9 * steps / _JOINT_SPEED, 2 * _PERIOD)
        count = int(np.ceil(seconds / _PERIOD))
        times = np.arange(1, count + 1, dtype=np.float64) * _PERIOD
        at = [_smooth(share) for share in times / times[-1]]
        columns = [np.interp(at, shares, column) for column in angles.T]
        path: Joints = np.stack(columns, axis=1).astype(np.float64)
        self.on_path(JointPath(times, path))
        for row in path:
            self._world.command(dict(zip(ARM_JOINTS, map(float, row), strict=True)))
            self._world.advance(_PERIOD)
        self._world.advance(_CATCH_UP)
        self._angles = angles[-1]


def _smooth(share: float) -> float:
    """Return where a motion is after a share of its time: no jerk at begin and end."""
    share = min(1.0, max(0.0, share))
    return share**3 * (10 - 15 * share + 6 * share**2)
