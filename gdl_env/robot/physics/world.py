"""The simulated world: time, pieces, joints. Several threads may look at it and move things."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from threading import Lock
from time import monotonic, sleep

import mujoco
import numpy as np
from numpy.typing import NDArray

from gdl_env.robot.executor import MotionError
from gdl_env.robot.physics.arm_model import ARM_JOINTS, FINGERS, JOINTS
from gdl_env.robot.physics.piece_kinds import PieceKind
from gdl_env.robot.physics.scene_model import STEP, build_model, piece_names
from gdl_env.robot.physics.table_layout import TableLayout
from gdl_env.robot.robot_setup import Geometry, Point

# Steps that are made at once [s].
_CHUNK = 0.02
# A piece stands if its axis is no farther from upright than this (cosine).
_UPRIGHT = 0.97
# Pieces that have come to rest are slower than this [m/s].
_SLOW = 0.003


class FairLock:
    """A lock that is not taken again by a thread that has just released it, if another one waits.

    Time passes in a loop that would keep the camera waiting for ever.
    """

    def __init__(self) -> None:
        self._gate, self._lock = Lock(), Lock()

    def __enter__(self) -> None:
        with self._gate:
            self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


class PieceBody:
    """A piece of the world, by number."""

    def __init__(self, model: mujoco.MjModel, name: str, kind: PieceKind, number: int) -> None:
        body = model.body(name)
        self.name, self.kind, self.number = name, kind, number
        self.id = int(body.id)
        joint = model.joint(int(model.body_jntadr[self.id]))
        self.place = int(joint.qposadr[0])
        self.speed = int(joint.dofadr[0])


class World:
    """Holds the model and where everything is; lengths in metres, in the frame of the board."""

    def __init__(
        self,
        geometry: Geometry,
        layout: TableLayout,
        kinds: Sequence[PieceKind],
        speed: float = 0.0,
    ) -> None:
        """`speed` is how many times faster than real time it may be; 0: as fast as it can."""
        self.layout = layout
        self.lock = FairLock()
        self.model = build_model(geometry, layout, kinds)
        self.data = mujoco.MjData(self.model)
        self.bodies = [
            PieceBody(self.model, name, kind, number)
            for number, (name, kind) in enumerate(piece_names(kinds))
        ]
        self._piece_speeds = np.array([range(b.speed, b.speed + 3) for b in self.bodies])
        self._piece_places = np.array([range(b.place, b.place + 3) for b in self.bodies])
        self._speed = speed
        self._is_closed = False
        joints = [self.model.joint(name) for name in JOINTS]
        self._joint_places = np.array([joint.qposadr[0] for joint in joints])
        self._joint_speeds = np.array([joint.dofadr[0] for joint in joints])
        self._servos = {
            name: self.model.actuator(name).id for name in (*ARM_JOINTS, 'grip', 'turn')
        }
        self._hand = int(self.model.body('hand').mocapid[0])
        self._weld = int(self.model.equality('grip').id)
        self.set_touch(False)
        self.on_step: Callable[[], None] = lambda: None
        mujoco.mj_forward(self.model, self.data)

    @property
    def time(self) -> float:
        """Return the time since the beginning [s]."""
        return float(self.data.time)

    def advance(self, seconds: float) -> None:
        """Let time pass. Raises MotionError if the table has been closed."""
        left = max(1, round(seconds / STEP))
        while left:
            count = min(left, round(_CHUNK / STEP))
            began = monotonic()
            if self._is_closed:
                raise MotionError('the table has been closed')
            with self.lock:
                mujoco.mj_step(self.model, self.data, count)
            left -= count
            self.on_step()
            if self._speed:
                sleep(max(0.0, count * STEP / self._speed - (monotonic() - began)))

    def close(self) -> None:
        """Stop time: whoever lets it pass gets a MotionError."""
        self._is_closed = True

    def settle(self, longest: float = 2.0) -> None:
        """Let time pass until no piece moves any more."""
        self.advance(0.1)
        end = self.time + longest
        while self.time < end and self._is_anything_moving():
            self.advance(0.05)

    # ---- the arm

    def joints(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return positions and speeds of all joints, in the order of JOINTS."""
        with self.lock:
            return (
                self.data.qpos[self._joint_places].copy(),
                self.data.qvel[self._joint_speeds].copy(),
            )

    def command(self, targets: Mapping[str, float]) -> None:
        """Tell servos where to go: joints of the arm [rad], `grip` [m], `turn` [rad]."""
        with self.lock:
            for name, value in targets.items():
                self.data.ctrl[self._servos[name]] = value

    def place_arm(self, angles: Sequence[float]) -> None:
        """Put the arm where it begins."""
        with self.lock:
            for name, angle in zip(ARM_JOINTS, angles, strict=True):
                self.data.joint(name).qpos = angle
                self.data.ctrl[self._servos[name]] = angle
            mujoco.mj_forward(self.model, self.data)

    def gap(self) -> float:
        """Return how far the pads are apart [m]."""
        with self.lock:
            return float(sum(self.data.joint(name).qpos[0] for name in FINGERS))

    def loosen(self, force: float) -> None:
        """Limit the force of the gripper [N]."""
        with self.lock:
            self.model.actuator_forcerange[self._servos['grip']] = (-force, force)

    # ---- the pieces

    def point(self, body: PieceBody) -> Point:
        """Return where the middle of a piece is."""
        with self.lock:
            x, y, z = self.data.qpos[body.place : body.place + 3]
        return float(x), float(y), float(z)

    def turn_of(self, body: PieceBody) -> int:
        """Return 1 for a piece that stands, -1 for one that stands on its top, 0 for others."""
        with self.lock:
            _, x, y, _ = self.data.qpos[body.place + 3 : body.place + 7]
        up = 1 - 2 * (x * x + y * y)
        return 0 if abs(up) < _UPRIGHT else 1 if up > 0 else -1

    def put(self, body: PieceBody, bottom: Point, is_turned: bool = False) -> None:
        """Put a piece down at once, at rest."""
        x, y, z = bottom
        with self.lock:
            middle = x, y, z + body.kind.shape.height / 2
            turn = (0, 1, 0, 0) if is_turned else (1, 0, 0, 0)
            self.data.qpos[body.place : body.place + 7] = (*middle, *turn)
            self._wake(body)

    def push(self, body: PieceBody, speed: Sequence[float]) -> None:
        """Give a piece a speed: along the axes [m/s], then about them [rad/s]."""
        with self.lock:
            self._wake(body)
            self.data.qvel[body.speed : body.speed + 6] = speed

    def _wake(self, body: PieceBody) -> None:
        # What rests is not simulated until something touches it, or it has a speed.
        self.data.qvel[body.speed : body.speed + 6] = 1e-5

    def _is_anything_moving(self) -> bool:
        with self.lock:
            return bool(np.abs(self.data.qvel[self._piece_speeds]).max() > _SLOW)

    # ---- the hand

    def move_hand(self, point: Point) -> None:
        """Put the finger tips of the hand somewhere."""
        with self.lock:
            self.data.mocap_pos[self._hand] = point

    @property
    def hand(self) -> Point:
        """Return where the finger tips of the hand are."""
        with self.lock:
            x, y, z = self.data.mocap_pos[self._hand]
        return float(x), float(y), float(z)

    def hold(self, body: PieceBody | None) -> None:
        """Let the hand hold a piece as it stands, or nothing."""
        with self.lock:
            self.data.eq_active[self._weld] = body is not None
            if body is None:
                return
            self._wake(body)
            self.model.eq_obj2id[self._weld] = body.id
            place = self.data.qpos[body.place : body.place + 3] - self.data.mocap_pos[self._hand]
            turn = self.data.qpos[body.place + 3 : body.place + 7]
            # Anchor, place and turn of the piece as the hand has it, share of the torque.
            self.model.eq_data[self._weld, :11] = (0, 0, 0, *place, *turn, 1)

    def set_touch(self, is_hard: bool) -> None:
        """Let the hand knock against pieces, or pass through them."""
        with self.lock:
            for body in self.bodies if is_hard else ():
                # What rests would not notice the hand, which no force has brought there.
                self._wake(body)
            geom = self.model.geom('finger_tip').id
            self.model.geom_contype[geom] = self.model.geom_conaffinity[geom] = int(is_hard)

    def standing(self, near: Point, within: float) -> list[PieceBody]:
        """Return the pieces that stand near a point, from the bottom."""
        with self.lock:
            places = self.data.qpos[self._piece_places]
        apart = np.abs(places[:, :2] - np.array(near[:2])).max(axis=1)
        found = sorted(np.flatnonzero(apart < within), key=lambda number: places[number, 2])
        return [self.bodies[number] for number in found if self.turn_of(self.bodies[number])]

    def loose(self, stored: Collection[PieceBody]) -> list[PieceBody]:
        """Return the pieces that have fallen over."""
        return [body for body in self.bodies if body not in stored and not self.turn_of(body)]
