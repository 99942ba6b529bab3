"""Waits for moves that a person makes with real pieces."""

from __future__ import annotations

from threading import Condition

from gdl_msgs.action import WaitForMove
from gdl_msgs.msg import SeenBoard
from rclpy.node import Node

from gdl_env.robot.errors import BoardError
from gdl_env.robot.move_watch import MoveWatch
from gdl_env.robot.perception import BoardVerdict, Recogniser, SeenSquares
from gdl_env.robot.robot_setup import default_setup
from gdl_env.ros.declaring import declare
from gdl_env.ros.parameters import PERCEPTION
from gdl_env.ros.robot.goal_worker import GoalWorker, RunningGoal
from gdl_env.ros.robot.seen_messages import from_seen_board
from gdl_env.ros.robot.table_match import TableMatch
from gdl_env.ros.run_node import leave, run
from gdl_env.ros.transport.names import SEEN_BOARD, WAIT_FOR_MOVE
from gdl_env.ros.transport.qos import seen_board_qos
from gdl_env.ros.transport.sources import guard

# How often a wait looks whether it was cancelled [s].
_PERIOD = 0.2


class PerceptionNode(Node):  # type: ignore[misc]
    """Offers `wait_for_move`: pictures on `seen_board` become the legal move that explains them.

    What a picture means has to be confirmed by the next ones, since a hand may be in them.
    """

    def __init__(self) -> None:
        super().__init__('perception_node')
        self._pictures_needed: int = declare(self, PERCEPTION)['pictures']
        self._recogniser: Recogniser | None = None
        self._picture: SeenBoard | None = None
        self._has_picture = Condition()
        take = guard(self, SEEN_BOARD, self._on_seen)
        self.create_subscription(SeenBoard, SEEN_BOARD, take, seen_board_qos())
        self._match = TableMatch(self, self._on_game)
        self._worker = GoalWorker(self, lambda: self._match.problem)
        self._worker.offer(WaitForMove, WAIT_FOR_MOVE, self._wait_for_move)

    def _on_game(self) -> None:
        engine, reader = self._match.engine, self._match.reader
        setup = default_setup(reader, reader.read(engine.initial_state))
        self._recogniser = Recogniser(engine, reader, setup.flips)

    def _on_seen(self, message: SeenBoard) -> None:
        with self._has_picture:
            self._picture = message
            self._has_picture.notify_all()

    def _wait_for_move(self, running: RunningGoal) -> WaitForMove.Result:
        goal = running.goal.request
        state = self._match.read_state(goal.facts)
        legal = {goal.role: list(goal.legal_moves)} if goal.legal_moves else {}
        if goal.role not in map(str, self._match.engine.actors(state)):
            raise BoardError(f'{goal.role} has no move in this position')
        if self._recogniser is None:
            raise BoardError(self._match.problem)
        watch = MoveWatch(self._recogniser, state, legal, self._pictures_needed)
        told = ''
        while not running.is_cancelled:
            seen = self._next_picture()
            found = None if seen is None else watch.take(seen)
            if found is None:
                continue
            if found.verdict is BoardVerdict.MOVED:
                return WaitForMove.Result(success=True, move=found.moves[goal.role])
            if found.advice != told:
                told = found.advice
                self.get_logger().info(told or 'the board is as it was')
                running.publish(WaitForMove.Feedback(advice=told))
        return WaitForMove.Result(success=False, message='cancelled')

    def _next_picture(self) -> SeenSquares | None:
        """Return the next picture; None if there is none for a moment."""
        with self._has_picture:
            if self._picture is None:
                self._has_picture.wait(_PERIOD)
            picture, self._picture = self._picture, None
        return None if picture is None else from_seen_board(picture, self._match.reader)


def main() -> None:
    """Wait for moves until stopped."""
    run(PerceptionNode)
    leave(0)
