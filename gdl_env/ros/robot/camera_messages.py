"""Pictures, and the camera that took them, as messages."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CameraInfo, Image

from gdl_env.robot.vision.pinhole import Pinhole

# As REP 103 has it: z is where it looks to, x is right in the picture, y down.
CAMERA_FRAME = 'camera_optical_frame'


def to_image(picture: NDArray[np.uint8], stamp: Any) -> Image:
    """Return a picture, RGB, as a message."""
    height, width, depth = picture.shape
    message = Image(height=height, width=width, encoding='rgb8', step=width * depth)
    message.header.stamp, message.header.frame_id = stamp, CAMERA_FRAME
    message.data = array.array('B', picture.tobytes())
    return message


def to_camera_info(camera: Pinhole, stamp: Any) -> CameraInfo:
    """Return what a camera is like, as a message."""
    focal, column, row = camera.focal, (camera.width - 1) / 2, (camera.height - 1) / 2
    message = CameraInfo(height=camera.height, width=camera.width)
    message.header.stamp, message.header.frame_id = stamp, CAMERA_FRAME
    message.distortion_model, message.d = 'plumb_bob', [0.0] * 5
    message.k = [focal, 0.0, column, 0.0, focal, row, 0.0, 0.0, 1.0]
    message.r = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    message.p = [focal, 0.0, column, 0.0, 0.0, focal, row, 0.0, 0.0, 0.0, 1.0, 0.0]
    return message
