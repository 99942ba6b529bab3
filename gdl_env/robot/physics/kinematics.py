"""Inverse kinematics of the arm, with the Jacobians of MuJoCo.

Damped least squares on a model of the arm alone. The arm has no joint too many and its targets lie
inside its ranges, so there is nothing for a solver of quadratic programs to decide.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import cos, hypot, pi, sin

import mujoco
import numpy as np
from numpy.typing import NDArray

from gdl_env.robot.executor import MotionError
from gdl_env.robot.physics.arm_model import ARM_JOINTS, TIP, arm_alone
from gdl_env.robot.physics.table_layout import TableLayout
from gdl_env.robot.robot_setup import Point

Joints = NDArray[np.float64]

# Solved to a tenth of a millimetre, and about as well in angle.
_EXACT = 1e-4
_DAMPING = 1e-3
_STEPS = 60
# Between two solved points of a straight line [m].
_FINE = 0.025
# The same, as an angle [rad].
_FINE_TURN = 0.2


class ArmKinematics:
    """Finds joint angles for poses in which the gripper points straight down."""

    def __init__(self, layout: TableLayout) -> None:
        self._layout = layout
        self._model = arm_alone(layout)
        self._data = mujoco.MjData(self._model)
        self._site = self._model.site(TIP).id
        joints = [self._model.joint(name) for name in ARM_JOINTS]
        self._where = np.array([joint.qposadr[0] for joint in joints])
        self._columns = np.array([joint.dofadr[0] for joint in joints])
        self._low, self._high = (
            np.array([joint.range[end] for joint in joints]) for end in (0, 1)
        )

    @property
    def rest(self) -> Joints:
        """Return the angles in which the arm hides nothing: turned aside and folded."""
        return np.array([pi / 2, -1.9, 2.6, pi / 2 - 0.7, 0.0])

    def solve(self, point: Point, yaw: float, near: Joints) -> Joints:
        """Return the angles at a point, fingers closing along `yaw`, starting from other angles.

        Raises MotionError if it is out of reach.
        """
        down = _rotation(yaw)
        angles: Joints = near.copy()
        position, turned = np.zeros((3, self._model.nv)), np.zeros((3, self._model.nv))
        for _ in range(_STEPS):
            site, error = self._find_error(angles, point, down)
            if np.abs(error).max() < _EXACT:
                return angles
            mujoco.mj_jacSite(self._model, self._data, position, turned, site)
            jacobian = np.vstack([position, turned])[:, self._columns]
            square = jacobian.T @ jacobian + _DAMPING**2 * np.eye(len(angles))
            step = np.linalg.solve(square, jacobian.T @ error)
            angles = np.clip(angles + np.clip(step, -0.4, 0.4), self._low, self._high)
        x, y, z = point
        far = hypot(x - self._layout.base[0], y - self._layout.base[1])
        raise MotionError(f'({x:.3f}, {y:.3f}, {z:.3f}) is out of reach, {far:.2f} m from the arm')

    def start(self, point: Point, yaw: float) -> Joints:
        """Return the angles at a point that is reached from rest. Raises MotionError."""
        x, y = point[0] - self._layout.base[0], point[1] - self._layout.base[1]
        # The arm looks along -y when its foot is at 0.
        foot = np.arctan2(x, -y)
        guess = np.array([foot, -0.6, 1.6, pi / 2 - 1.0, 0.0])
        turn = (yaw - (foot - pi / 2) + pi / 2) % pi - pi / 2
        guess[4] = turn - pi / 2 if turn > 0 else turn + pi / 2
        return self.solve(point, yaw, guess)

    def line(
        self, begin: Point, end: Point, yaws: tuple[float, float], near: Joints
    ) -> list[Joints]:
        """Return angles along a straight line, without those of its begin; `yaws` are of its ends.

        Raises MotionError.
        """
        count = max(1, int(np.ceil(np.linalg.norm(np.subtract(end, begin)) / _FINE)))
        turn = yaws[1] - yaws[0]
        count = max(count, int(np.ceil(abs(turn) / _FINE_TURN)))
        found = []
        for share in np.arange(1, count + 1) / count:
            x, y, z = np.add(begin, share * np.subtract(end, begin))
            near = self.solve((x, y, z), yaws[0] + share * turn, near)
            found.append(near)
        return found

    def tip(self, angles: Iterable[float]) -> Point:
        """Return where the finger tips are."""
        self._data.qpos[self._where] = list(angles)
        mujoco.mj_kinematics(self._model, self._data)
        x, y, z = self._data.site_xpos[self._site]
        return float(x), float(y), float(z)

    def _find_error(
        self, angles: Joints, point: Point, down: NDArray[np.float64]
    ) -> tuple[int, NDArray[np.float64]]:
        self._data.qpos[self._where] = angles
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)
        now = self._data.site_xmat[self._site].reshape(3, 3)
        # Half the sum of the axes' cross products is the turn that is left, if it is small.
        turn = 0.5 * np.cross(now.T, down.T).sum(axis=0)
        return self._site, np.concatenate([point - self._data.site_xpos[self._site], turn])


def _rotation(yaw: float) -> NDArray[np.float64]:
    """Return the frame of a gripper that points down: columns are its axes."""
    across = np.array([cos(yaw), sin(yaw), 0.0])
    down = np.array([0.0, 0.0, -1.0])
    return np.stack([down, across, np.cross(down, across)], axis=1)
