"""The table with physics on the graph: joints, paths and pictures as other robots publish them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any

import cv2
from geometry_msgs.msg import TransformStamped, Vector3
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CameraInfo, CompressedImage, Image, JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from gdl_env.engine.contract import Engine, State
from gdl_env.errors import GdlError
from gdl_env.robot.errors import BoardError
from gdl_env.robot.executor import MotionError
from gdl_env.robot.perception import SeenSquares
from gdl_env.robot.physics.arm import JointPath
from gdl_env.robot.physics.arm_model import ARM_JOINTS, JOINTS
from gdl_env.robot.physics.physical_table import PhysicalTable, TableOptions
from gdl_env.robot.physics.table_camera import PictureNoise, TableCamera
from gdl_env.robot.physics.table_layout import lay_out
from gdl_env.robot.positions import Position
from gdl_env.robot.robot_setup import Geometry
from gdl_env.robot.vision.board_eye import BoardEye
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.robot.camera_messages import CAMERA_FRAME, to_camera_info, to_image
from gdl_env.ros.robot.table_simulation import PublishSeen, TableSimulation, make_person
from gdl_env.ros.timers import create_timer
from gdl_env.ros.transport.names import (
    CAMERA_INFO,
    COMPRESSED_IMAGE,
    IMAGE,
    JOINT_STATES,
    JOINT_TRAJECTORY,
)
from gdl_env.ros.transport.passing_topics import create_passing_publisher
from gdl_env.ros.transport.qos import sensor_qos

# How often joints are published [s].
_JOINT_PERIOD = 0.05
# Of pictures as JPEG [%].
_QUALITY = 80
# Paths and pictures that wait to be published, at most.
_MOST_NEWS = 20
# Longer than this the camera does not take to learn [s].
_PATIENCE = 120.0


class PhysicsSimulation(TableSimulation):
    """Arm, camera and people, each in a thread of its own; they share the world."""

    def __init__(
        self,
        node: RosNode,
        engine: Engine,
        geometry: Geometry,
        start: Position,
        told: dict[str, Any],
        publish: PublishSeen,
    ) -> None:
        """Begin. Raises GdlError if no pictures can be taken, or the camera cannot learn."""
        self._node = node
        self._start, self._told, self._publish_seen = start, told, publish
        self._layout = lay_out(geometry, told['picture_width'], told['picture_height'])
        self._frame = geometry.setup.frame
        options = TableOptions(told['speed'], told['slips'], told['seed'])
        self._table = PhysicalTable(geometry, self._layout, start, options)
        self._person = make_person(engine, geometry, self._table, told)
        self._eye = BoardEye(geometry, self._layout.camera)
        self.executor = self._table
        # What other threads want to be published.
        self._news: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._open_topics()
        self._table.follow_paths(lambda path: self._news.put(lambda: self._show_path(path)))
        self._hand: Thread | None = None
        self._is_over, self._has_learned = Event(), Event()
        self._problem = ''
        self._camera = Thread(target=self._run_camera, daemon=True)
        self._camera.start()
        if not self._has_learned.wait(_PATIENCE):
            self._problem = f'the camera has not learned within {_PATIENCE:g} s'
        if self._problem:
            self.close()
            raise BoardError(self._problem)

    def close(self) -> None:
        """End the camera, and leave the graph."""
        self._is_over.set()
        self._table.close()
        self._camera.join(_PATIENCE)
        self._node.destroy_timer(self._timer)
        for publisher in self._publishers:
            self._node.destroy_publisher(publisher)

    def act(self, state: State | None, turn: object) -> None:
        """Let the person move, in a thread: a hand takes its time."""
        if state is None or (self._hand is not None and self._hand.is_alive()):
            return
        self._hand = Thread(target=self._run_hand, args=(state, turn), daemon=True)
        self._hand.start()

    def _run_hand(self, state: State, turn: object) -> None:
        # Where the table is closed meanwhile, nobody waits for the hand.
        with suppress(MotionError):
            self._person.act(state, turn)

    def publish(self) -> None:
        """Publish what other threads have to say."""
        while True:
            try:
                say = self._news.get_nowait()
            except Empty:
                return
            say()

    def help(self, position: Position) -> None:
        """Put pieces back by hand."""
        if self._hand is not None:
            self._hand.join()
        self._table.rearrange(position)

    def frames(self, stamp: Any) -> Iterable[Any]:
        """Return where camera and arm are."""
        camera, (x, y) = self._layout.camera, self._layout.base
        places = {
            CAMERA_FRAME: ((camera.x, camera.y, camera.z), (1.0, 0.0, 0.0, 0.0)),
            # It looks along -y of the board.
            'arm': ((x, y, self._layout.surface), (0.0, 0.0, -(0.5**0.5), 0.5**0.5)),
        }
        for name, (place, turn) in places.items():
            transform = TransformStamped(child_frame_id=name)
            transform.header.frame_id, transform.header.stamp = self._frame, stamp
            transform.transform.translation = Vector3(x=place[0], y=place[1], z=place[2])
            rotation = transform.transform.rotation
            rotation.x, rotation.y, rotation.z, rotation.w = turn
            yield transform

    # ---- topics

    def _open_topics(self) -> None:
        node = self._node

        def open_topic(kind: type, topic: str) -> Any:
            return create_passing_publisher(node, kind, topic, sensor_qos())

        self._joints = open_topic(JointState, JOINT_STATES)
        self._paths = open_topic(JointTrajectory, JOINT_TRAJECTORY)
        self._images = open_topic(Image, IMAGE)
        self._small = open_topic(CompressedImage, COMPRESSED_IMAGE)
        self._infos = open_topic(CameraInfo, CAMERA_INFO)
        self._publishers = (self._joints, self._paths, self._images, self._small, self._infos)
        self._timer = create_timer(node, _JOINT_PERIOD, self._show_joints)

    def _stamp(self) -> Any:
        return self._node.get_clock().now().to_msg()

    def _show_joints(self) -> None:
        positions, speeds = self._table.world.joints()
        message = JointState(name=list(JOINTS))
        message.header.stamp = self._stamp()
        message.position = [float(value) for value in positions]
        message.velocity = [float(value) for value in speeds]
        self._joints.publish(message)

    def _show_path(self, path: JointPath) -> None:
        message = JointTrajectory(joint_names=list(ARM_JOINTS))
        message.header.stamp = self._stamp()
        for time, angles in zip(path.times, path.angles, strict=True):
            point = JointTrajectoryPoint(positions=[float(angle) for angle in angles])
            point.time_from_start.sec = int(time)
            point.time_from_start.nanosec = int(time % 1 * 1e9)
            message.points.append(point)
        self._paths.publish(message)

    def _show_picture(self, picture: NDArray[np.uint8], seen: SeenSquares) -> None:
        stamp = self._stamp()
        if self._images.get_subscription_count():
            self._images.publish(to_image(picture, stamp))
        if self._small.get_subscription_count():
            coded = cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)
            _, data = cv2.imencode('.jpg', coded, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
            small = CompressedImage(format='jpeg', data=data.tobytes())
            small.header.stamp, small.header.frame_id = stamp, CAMERA_FRAME
            self._small.publish(small)
        self._infos.publish(to_camera_info(self._layout.camera, stamp))
        self._publish_seen(seen)

    # ---- the camera's thread

    def _run_camera(self) -> None:
        told = self._told
        try:
            noise = PictureNoise(told['picture_noise'])
            camera = TableCamera(self._table.world, noise, told['seed'])
            self._eye.learn(camera.take(), self._start)
        except GdlError as error:
            self._problem = str(error)
            return
        # OpenGL's loaders raise whatever they like.
        except Exception as error:
            self._problem = (
                f'no pictures can be taken ({type(error).__name__}: {error}); install libosmesa6,'
                ' or choose what draws with MUJOCO_GL'
            )
            return
        finally:
            self._has_learned.set()
        while not self._is_over.wait(told['camera_period']):
            if self._news.qsize() < _MOST_NEWS:
                self._take(camera)
        camera.close()

    def _take(self, camera: TableCamera) -> None:
        picture = camera.take()
        seen = self._eye.see(picture)
        self._news.put(lambda: self._show_picture(picture, seen))
