"""Where the frame of a board is, as a static transform."""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, sin
from typing import Any

from geometry_msgs.msg import Quaternion, TransformStamped, Vector3
from tf2_msgs.msg import TFMessage

from gdl_env.ros.declaring import ParameterError

# The parameters that say where the board is in its parent frame, as those of tf2's
# static_transform_publisher: place [m], then angles [rad].
POSE = ('x', 'y', 'z', 'roll', 'pitch', 'yaw')


def check_frames(frame: str, parent: str) -> None:
    """Check the names of frames as tf2 would. Raises ParameterError."""
    for name, value in (('frame_id', frame), ('parent_frame_id', parent)):
        if value.startswith('/'):
            raise ParameterError(f'{name} must not begin with a slash: {value!r}')
    if not frame:
        raise ParameterError('frame_id must not be empty')
    if frame == parent:
        raise ParameterError(f'frame_id and parent_frame_id are both {frame!r}')


def to_transform(frame: str, parent: str, pose: Mapping[str, float], stamp: Any) -> TFMessage:
    """Return the transform from a parent frame to the frame of a board."""
    transform = TransformStamped(child_frame_id=frame)
    transform.header.frame_id = parent
    transform.header.stamp = stamp
    transform.transform.translation = Vector3(x=pose['x'], y=pose['y'], z=pose['z'])
    transform.transform.rotation = to_quaternion(pose['roll'], pose['pitch'], pose['yaw'])
    return TFMessage(transforms=[transform])


def to_quaternion(roll: float, pitch: float, yaw: float) -> Quaternion:
    """Return turns about the fixed axes x, y and z, in this order, as ROS has them (REP 103)."""
    cr, sr = cos(roll / 2), sin(roll / 2)
    cp, sp = cos(pitch / 2), sin(pitch / 2)
    cy, sy = cos(yaw / 2), sin(yaw / 2)
    return Quaternion(
        x=sr * cp * cy - cr * sp * sy,
        y=cr * sp * cy + sr * cp * sy,
        z=cr * cp * sy - sr * sp * cy,
        w=cr * cp * cy + sr * sp * sy,
    )
