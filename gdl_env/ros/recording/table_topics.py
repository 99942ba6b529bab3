"""Topics of the arm and the camera of a real board, for those who record them."""

from __future__ import annotations

from collections.abc import Iterator

from gdl_msgs.msg import SeenBoard
from rclpy.qos import QoSProfile

from gdl_env.requirements import SENSOR_MESSAGES, TRAJECTORY_MESSAGES, is_installed
from gdl_env.ros.transport.names import (
    CAMERA_INFO,
    COMPRESSED_IMAGE,
    JOINT_STATES,
    JOINT_TRAJECTORY,
    SEEN_BOARD,
)
from gdl_env.ros.transport.qos import seen_board_qos, sensor_qos


def table_topics() -> Iterator[tuple[str, type, QoSProfile]]:
    """Yield topics with their types; what others publish, as far as its messages are known here.

    Pictures as JPEG: raw ones would fill a disk.
    """
    yield SEEN_BOARD, SeenBoard, seen_board_qos()
    if is_installed(SENSOR_MESSAGES):
        from sensor_msgs.msg import CameraInfo, CompressedImage, JointState

        yield JOINT_STATES, JointState, sensor_qos()
        yield COMPRESSED_IMAGE, CompressedImage, sensor_qos()
        yield CAMERA_INFO, CameraInfo, sensor_qos()
    if is_installed(TRAJECTORY_MESSAGES):
        from trajectory_msgs.msg import JointTrajectory

        yield JOINT_TRAJECTORY, JointTrajectory, sensor_qos()
