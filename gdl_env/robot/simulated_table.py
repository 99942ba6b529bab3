"""A table without physics: pieces go where they are put, and hands and cameras can be bad."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from threading import Lock
from time import sleep

from gdl_env.errors import GdlError
from gdl_env.robot.executor import STAGES, Executor, MotionError, Report
from gdl_env.robot.perception import SeenSquares
from gdl_env.robot.piece_motions import FLIP, Motion, apply_motions
from gdl_env.robot.positions import Place, Position, PositionReader
from gdl_env.robot.simulated_camera import CameraNoise, look_at
from gdl_env.robot.transfers import Transfer
from gdl_env.robot.trays import Trays


class SimulatedTable(Executor):
    """Holds where all pieces are, which only its camera may tell.

    `slips` is the share of motions in which the piece falls: it then lies on a free square beside
    the right one, and the arm notices nothing.
    """

    def __init__(
        self,
        reader: PositionReader,
        trays: Trays,
        seconds: float = 0.0,
        slips: float = 0.0,
        seed: int = 0,
        wait: Callable[[float], None] = sleep,
    ) -> None:
        self._reader = reader
        self._trays = trays
        self._seconds = seconds
        self._slips = slips
        self._random = Random(seed)
        self._wait = wait
        self._position: Position = {}
        # Camera, hand and arm work in threads of their own.
        self._lock = Lock()

    @property
    def position(self) -> Position:
        """Return where pieces really are."""
        with self._lock:
            return self._position

    def set_up(self, position: Position) -> None:
        """Put all pieces where they should be, by hand."""
        with self._lock:
            self._position = dict(position)

    def rearrange(self, position: Position) -> None:
        """Bring all pieces to a position; without physics, a hand takes no time."""
        self.set_up(position)

    def transfer(self, transfer: Transfer, report: Report) -> None:
        """Move a piece. Raises MotionError if it is not there."""
        motion = transfer.motion
        for stage in STAGES:
            if motion.purpose == FLIP and stage == 'carry':
                continue
            report(stage)
            self._wait(self._seconds / len(STAGES))
            if stage == 'grasp':
                self._check(motion)
        with self._lock:
            motion = self._drop(motion)
            self._position, self._trays = apply_motions(self._position, self._trays, [motion])

    def look(self, noise: CameraNoise) -> SeenSquares:
        """Return what a camera above the table says."""
        with self._lock:
            places, pieces = self._reader.places, self._reader.pieces
            return look_at(self._position, places, pieces, noise, self._random)

    def _check(self, motion: Motion) -> None:
        with self._lock:
            try:
                apply_motions(self._position, self._trays, [motion])
            except (ValueError, GdlError) as error:
                where = motion.origin
                name = self._reader.words(where) if isinstance(where, Place) else where.name
                raise MotionError(
                    f'the gripper closed on nothing: no {motion.piece} at {name}'
                ) from error

    def _drop(self, motion: Motion) -> Motion:
        """Return where a piece ends up; most of the time where it should."""
        if self._random.random() >= self._slips or not isinstance(motion.target, Place):
            return motion
        near = [
            place
            for place in self._reader.places
            if place.board == motion.target.board
            and max(abs(place.row - motion.target.row), abs(place.column - motion.target.column))
            == 1
            and place not in self._position
        ]
        if not near or motion.purpose == FLIP:
            return motion
        return replace(motion, target=self._random.choice(near))
