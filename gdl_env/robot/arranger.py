"""Brings real pieces to a position: plans, moves, looks, and puts right what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from gdl_env.robot.executor import Executor, MotionError
from gdl_env.robot.perception import BoardCheck, Recogniser, SeenSquares
from gdl_env.robot.piece_motions import apply_motions, plan_motions
from gdl_env.robot.positions import Place, Position
from gdl_env.robot.robot_setup import Geometry
from gdl_env.robot.transfers import Transfer, to_transfers

# How often it is tried to put right what went wrong.
_ATTEMPTS = 3

# Pictures that have to show that something is wrong.
_PICTURES = 3
# Pictures after which squares that none of them has shown are no longer waited for.
_MOST_PICTURES = 20

# Returns a picture that was taken after now; None where there is no camera.
Look: TypeAlias = Callable[[], SeenSquares | None]


@dataclass(frozen=True)
class MotionStage:
    """What an arm does now: a stage of a motion, counted from 1."""

    transfer: Transfer
    stage: str
    motion: int
    motions: int


@dataclass(frozen=True)
class Arranged:
    """How it went: `message` says what failed, and what should be put where."""

    motions: int
    message: str = ''


def confirm(
    recogniser: Recogniser, wanted: Position, touched: Collection[Place], look: Look
) -> BoardCheck | None:
    """Compare pieces with how they should stand; None if there is no camera.

    What contradicts that has to do so in several pictures, and every square that was touched has
    to be seen in one that does not.
    """
    hidden = set(touched)
    bad, is_blind = 0, True
    for _ in range(_MOST_PICTURES):
        seen = look()
        if seen is None:
            return None
        if not seen:
            # Something moves, or is in the way.
            continue
        is_blind = False
        check = recogniser.check(wanted, seen)
        bad = bad + 1 if check.advice else 0
        if not check.advice:
            hidden -= set(seen)
        if bad == _PICTURES or not (bad or hidden):
            return check
    return recogniser.describe_hidden(wanted, None if is_blind else hidden)


class Arranger:
    """Keeps track of what stands where as far as the arm knows, and changes it."""

    def __init__(
        self, geometry: Geometry, recogniser: Recogniser, executor: Executor, look: Look
    ) -> None:
        self._geometry = geometry
        self._recogniser = recogniser
        self._executor = executor
        self._look = look
        self._trays = geometry.empty_trays()

    def arrange(
        self,
        believed: Position,
        wanted: Position,
        paths: Iterable[tuple[Place, Place]],
        report: Callable[[MotionStage], None],
        is_cancelled: Callable[[], bool],
    ) -> Arranged:
        """Move pieces until they stand as wanted. Raises TrayError if one is missing.

        `believed` is where they should stand now; a camera may know better. `paths` is where the
        move leads, of those that name two squares.
        """
        paths = tuple(paths)
        # A person may have touched the pieces.
        check = self._check(believed, ())
        if check is not None:
            if check.unclear:
                # Something has fallen, or lies where nobody knows what it is.
                return Arranged(0, check.advice)
            believed = check.position
        touched: set[Place] = set()
        count, advice = 0, ''
        for _ in range(_ATTEMPTS):
            plan = plan_motions(believed, wanted, self._trays, paths, self._geometry.setup.flips)
            transfers = to_transfers(plan.motions, believed, self._trays, self._geometry)
            for number, transfer in enumerate(transfers, start=1):
                if is_cancelled():
                    self._executor.rest()
                    return Arranged(count, 'cancelled')
                try:
                    self._run(transfer, number, len(transfers), report)
                except MotionError as error:
                    self._executor.rest()
                    return Arranged(count, f'{error}. {self._advise(wanted)}'.strip())
                count += 1
                believed, self._trays = apply_motions(believed, self._trays, [transfer.motion])
            if transfers:
                self._executor.rest()
            touched |= {
                spot
                for motion in plan.motions
                for spot in (motion.origin, motion.target)
                if isinstance(spot, Place)
            }
            check = self._check(wanted, touched)
            if check is None or not check.advice:
                return Arranged(count)
            if check.unclear:
                # What it is that lies there is not known, so it cannot be grasped.
                return Arranged(count, check.advice)
            believed, paths, advice = check.position, (), check.advice
        return Arranged(count, f'{_ATTEMPTS} attempts have failed. {advice}')

    def _run(
        self, transfer: Transfer, number: int, count: int, report: Callable[[MotionStage], None]
    ) -> None:
        self._executor.transfer(
            transfer, lambda stage: report(MotionStage(transfer, stage, number, count))
        )

    def _check(self, wanted: Position, touched: Collection[Place]) -> BoardCheck | None:
        return confirm(self._recogniser, wanted, touched, self._look)

    def _advise(self, wanted: Position) -> str:
        check = self._check(wanted, ())
        return check.advice if check is not None else ''
