"""Frames of a set-up: the board, its squares and the slots of trays, as static transforms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from geometry_msgs.msg import TransformStamped, Vector3
from tf2_msgs.msg import TFMessage

from gdl_env.robot.piece_motions import Spot
from gdl_env.robot.robot_setup import Geometry
from gdl_env.ros.robot.board_frame import to_transform


def to_transforms(geometry: Geometry, stamp: Any) -> TFMessage:
    """Return all frames: `board` in its parent, `board/e4` and `board/captured_1` in `board`.

    Frames of squares have their origin where a piece stands, and are turned as the board is.
    """
    setup = geometry.setup
    message = TFMessage()
    if setup.parent:
        message = to_transform(setup.frame, setup.parent, asdict(setup.pose), stamp)
    transforms = list(message.transforms)
    for name, (x, y, z) in _spots(geometry):
        transform = TransformStamped(child_frame_id=f'{setup.frame}/{name}')
        transform.header.frame_id = setup.frame
        transform.header.stamp = stamp
        transform.transform.translation = Vector3(x=x, y=y, z=z)
        transform.transform.rotation.w = 1.0
        transforms.append(transform)
    return TFMessage(transforms=transforms)


def _spots(geometry: Geometry) -> Iterator[tuple[str, tuple[float, float, float]]]:
    spots: list[Spot] = [*geometry.reader.places, *geometry.slots()]
    for spot in spots:
        yield geometry.name(spot), geometry.point(spot)
