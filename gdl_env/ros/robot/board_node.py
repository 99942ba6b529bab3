"""The board of a match as RViz markers, from what spectators may see."""

from __future__ import annotations

from gdl_msgs.msg import GameInfo, Spectator
from rclpy.node import Node
from rclpy.publisher import Publisher
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

from gdl_env.engine.board import Board
from gdl_env.errors import GdlError
from gdl_env.language.load import game_from_text
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Term
from gdl_env.ros.declaring import declare, follow
from gdl_env.ros.parameters import BOARD
from gdl_env.ros.robot.board_frame import POSE, check_frames, to_transform
from gdl_env.ros.robot.markers import to_markers
from gdl_env.ros.robot.spectator_facts import read_spectator
from gdl_env.ros.run_node import leave, run
from gdl_env.ros.transport.names import BOARD as BOARD_TOPIC
from gdl_env.ros.transport.names import INFO, SPECTATOR, TF_STATIC
from gdl_env.ros.transport.qos import info_qos, spectator_qos, tf_static_qos
from gdl_env.ros.transport.sources import InfoSubscription, guard


class BoardNode(Node):  # type: ignore[misc]
    """Publishes `board` (MarkerArray, transient local) whenever the board of lane 0 changed.

    Where the frame of the board is, it publishes on /tf_static.
    """

    def __init__(self) -> None:
        super().__init__('board_node')
        values = declare(self, BOARD)
        self._size: float = values['square_size']
        self._frame: str = values['frame_id']
        self._parent: str = values['parent_frame_id']
        self._pose: dict[str, float] = {name: values[name] for name in POSE}
        check_frames(self._frame, self._parent)
        follow(self, BOARD, self._on_parameter)
        self._board: Board | None = None
        self._facts: list[Term] = []
        # The newest position: it may come before the rules, and be the last of a match.
        self._seen: Spectator | None = None
        self._publisher = self.create_publisher(MarkerArray, BOARD_TOPIC, info_qos())
        # Not even the publisher is there where another node says where the board is.
        self._transforms: Publisher | None = None
        if self._parent:
            self._transforms = self.create_publisher(TFMessage, TF_STATIC, tf_static_qos())
            self._publish_transform()
        self._infos = InfoSubscription(self, INFO, self._on_info)
        show = guard(self, SPECTATOR, self._on_spectator)
        self.create_subscription(Spectator, SPECTATOR, show, spectator_qos())

    def _on_parameter(self, name: str, value: float) -> None:
        if name in self._pose:
            self._pose[name] = value
            self._publish_transform()
        else:
            # The next picture has it.
            self._size = value

    def _publish_transform(self) -> None:
        if self._transforms is not None:
            stamp = self.get_clock().now().to_msg()
            self._transforms.publish(to_transform(self._frame, self._parent, self._pose, stamp))

    def _on_info(self, info: GameInfo) -> None:
        try:
            self._board = Board(game_from_text(info.rules, info.name))
            self._facts = [read_term(text) for text in info.facts]
        except (GdlError, ValueError) as error:
            self.get_logger().warning(f'{info.name} cannot be drawn: {error}')
            self._board = None
        self._draw()

    def _on_spectator(self, seen: Spectator) -> None:
        self._seen = seen
        self._draw()

    def _draw(self) -> None:
        """Publish the board, once both the rules and a position are known."""
        if self._board is None or self._seen is None:
            return
        grids = self._board.grids(read_spectator(self._seen, self._facts))
        if not grids:
            self.get_logger().warning(
                'this game has nothing that can be drawn as a board', once=True
            )
        stamp = self.get_clock().now().to_msg()
        self._publisher.publish(to_markers(grids, self._size, self._frame, stamp))


def main() -> None:
    """Draw until stopped."""
    run(BoardNode)
    leave(0)
