"""Motions with their poses: where the gripper closes, and where it opens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gdl_env.robot.piece_motions import Motion, Spot, apply_motions
from gdl_env.robot.positions import Place, Position
from gdl_env.robot.robot_setup import Geometry, PieceShape, Point
from gdl_env.robot.trays import Trays


@dataclass(frozen=True)
class Transfer:
    """A motion, and where the bottom of the piece is before and after, in the board's frame."""

    motion: Motion
    pick: Point
    put: Point
    shape: PieceShape


def to_transfers(
    motions: Iterable[Motion], position: Position, trays: Trays, geometry: Geometry
) -> list[Transfer]:
    """Return poses for motions that are made one after the other, from a position."""
    found = []
    for motion in motions:
        pick = geometry.point(motion.origin, _below(motion.origin, position)[:-1])
        shape = geometry.setup.shape_of(motion.piece)
        after, trays = apply_motions(position, trays, [motion])
        put = geometry.point(motion.target, _below(motion.target, after)[:-1])
        found.append(Transfer(motion, pick, put, shape))
        position = after
    return found


def _below(spot: Spot, position: Position) -> tuple[str, ...]:
    return position.get(spot, ()) if isinstance(spot, Place) else ('',)
