"""An arm that plays moves of a match with real pieces, or with simulated ones."""

from __future__ import annotations

from pathlib import Path
from threading import Condition
from typing import Any

from gdl_msgs.action import PlayMove, ResetBoard
from gdl_msgs.msg import SeenBoard
from rclpy.node import Node
from tf2_msgs.msg import TFMessage

from gdl_env.engine.contract import NATURE, Moves, State
from gdl_env.errors import GdlError, IllegalMoveError
from gdl_env.importing import load_hook
from gdl_env.language.game import Turns
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Symbol
from gdl_env.requirements import OF_PHYSICS, require
from gdl_env.robot.arranger import Arranged, Arranger, MotionStage
from gdl_env.robot.errors import BoardError
from gdl_env.robot.executor import Executor, MotionError
from gdl_env.robot.perception import Recogniser, SeenSquares
from gdl_env.robot.piece_motions import Spot
from gdl_env.robot.positions import Place, Position
from gdl_env.robot.robot_setup import Geometry, default_setup
from gdl_env.robot.setup_file import load_setup
from gdl_env.ros.declaring import ParameterError, declare
from gdl_env.ros.parameters import ROBOT
from gdl_env.ros.robot.board_frames import to_transforms
from gdl_env.ros.robot.goal_worker import GoalWorker, RunningGoal
from gdl_env.ros.robot.seen_messages import from_seen_board, to_seen_board
from gdl_env.ros.robot.table_match import TableMatch
from gdl_env.ros.robot.table_simulation import PlainTableSimulation, TableSimulation
from gdl_env.ros.run_node import leave, run
from gdl_env.ros.timers import create_timer
from gdl_env.ros.transport.names import PLAY_MOVE, RESET_BOARD, SEEN_BOARD, TF_STATIC
from gdl_env.ros.transport.qos import seen_board_qos, tf_static_qos
from gdl_env.ros.transport.sources import guard

SIMULATED, PHYSICS = 'simulated', 'mujoco'
# Longer than this no camera is waited for [s].
_PATIENCE = 10.0


class RobotNode(Node):  # type: ignore[misc]
    """Offers `play_move` and `reset_board`, and says on /tf_static where everything is.

    With a simulated executor it is arm, camera and, for the roles `hands`, the person, too.
    """

    def __init__(self) -> None:
        super().__init__('robot_node')
        self._told = declare(self, ROBOT)
        self._kind = _find_executor(self._told['executor'])
        if self._kind is not None and any(self._told['hands']):
            raise ParameterError(
                f'hands are simulated, but the executor is not {SIMULATED} or {PHYSICS}'
            )
        self._arranger: Arranger | None = None
        self._simulation: TableSimulation | None = None
        self._executor_in_use: Executor | None = None
        # The newest picture, and how many there were.
        self._pictures = 0
        self._picture: SeenBoard | None = None
        self._has_picture = Condition()
        self._frames = self.create_publisher(TFMessage, TF_STATIC, tf_static_qos())
        take = guard(self, SEEN_BOARD, self._on_seen)
        self.create_subscription(SeenBoard, SEEN_BOARD, take, seen_board_qos())
        self._camera: Any = None
        if self._kind is None:
            self._camera = self.create_publisher(SeenBoard, SEEN_BOARD, seen_board_qos())
            create_timer(self, self._told['camera_period'], self._simulate)
        self._match = TableMatch(self, self._on_game)
        self._worker = GoalWorker(self, self._find_problem)
        self._worker.offer(PlayMove, PLAY_MOVE, self._play_move)
        self._worker.offer(ResetBoard, RESET_BOARD, self._reset_board)

    def destroy_node(self) -> None:
        """Release the arm, then the node."""
        self._close_executor()
        super().destroy_node()

    # ---- games

    def _find_problem(self) -> str:
        return self._match.problem or ('' if self._arranger else 'the set-up does not fit')

    def _on_game(self) -> None:
        """Lay out the board of a game, and get the arm ready."""
        reader, engine = self._match.reader, self._match.engine
        start = reader.read(engine.initial_state)
        self._arranger = None
        try:
            path = self._told['setup']
            setup = load_setup(Path(path), reader, start) if path else default_setup(reader, start)
            geometry = Geometry(setup, reader)
            executor = self._open_executor(geometry, start)
        except GdlError as error:
            self.get_logger().error(str(error))
            return
        recogniser = Recogniser(engine, reader, setup.flips)
        self._geometry = geometry
        self._arranger = Arranger(geometry, recogniser, executor, self._look)
        stamp = self.get_clock().now().to_msg()
        frames = to_transforms(geometry, stamp)
        if self._simulation is not None:
            frames.transforms = [*frames.transforms, *self._simulation.frames(stamp)]
        self._frames.publish(frames)
        wide, high = geometry.size
        self.get_logger().info(
            f'ready for {engine.game.name} on {wide:.2f} m by {high:.2f} m; pieces:'
            f' {", ".join(reader.pieces)}'
        )

    def _open_executor(self, geometry: Geometry, start: Position) -> Executor:
        self._close_executor()
        if self._kind is not None:
            self._executor_in_use = self._kind(geometry.setup)
            if not isinstance(self._executor_in_use, Executor):
                raise BoardError(f'{self._told["executor"]} is no gdl_env.robot.executor.Executor')
            return self._executor_in_use
        self._simulation = self._open_simulation(geometry, start)
        self._executor_in_use = self._simulation.executor
        return self._executor_in_use

    def _close_executor(self) -> None:
        if self._simulation is not None:
            self._simulation.close()
            self._simulation = None
        if self._executor_in_use is not None:
            self._executor_in_use.close()
            self._executor_in_use = None

    def _open_simulation(self, geometry: Geometry, start: Position) -> TableSimulation:
        engine, told = self._match.engine, self._told
        if told['executor'] == SIMULATED:
            return PlainTableSimulation(engine, geometry, start, told, self._publish_seen)
        from gdl_env.ros.robot.physics_simulation import PhysicsSimulation

        return PhysicsSimulation(self, engine, geometry, start, told, self._publish_seen)

    # ---- goals

    def _play_move(self, running: RunningGoal) -> PlayMove.Result:
        goal = running.goal.request
        state = self._match.read_state(goal.facts)
        moves = self._read_moves(state, goal.role, goal.move)
        reader = self._match.reader
        after = self._match.engine.next_state(state, moves)
        shown = {str(role): str(move) for role, move in moves.items()}

        def report(now: MotionStage) -> None:
            running.publish(self._to_feedback(now))

        done = self._arrange(
            reader.read(state), reader.read(after), reader.path(shown), running, report
        )
        return PlayMove.Result(
            success=not done.message, message=done.message, motions=done.motions
        )

    def _reset_board(self, running: RunningGoal) -> ResetBoard.Result:
        state = self._match.read_state(running.goal.request.facts)
        wanted = self._match.reader.read(state)

        def report(now: MotionStage) -> None:
            motion = now.transfer.motion
            feedback = ResetBoard.Feedback(
                piece=motion.piece,
                origin=self._name(motion.origin),
                target=self._name(motion.target),
                motion=now.motion,
                motions=now.motions,
            )
            running.publish(feedback)

        done = self._arrange(wanted, wanted, [], running, report)
        return ResetBoard.Result(
            success=not done.message, message=done.message, motions=done.motions
        )

    def _arrange(
        self,
        believed: Position,
        wanted: Position,
        paths: list[tuple[Place, Place]],
        running: RunningGoal,
        report: Any,
    ) -> Arranged:
        if self._arranger is None:
            raise BoardError(self._find_problem())
        done = self._arranger.arrange(
            believed, wanted, paths, report, lambda: running.is_cancelled
        )
        if done.message and not running.is_cancelled and self._simulation is not None:
            # A person who has read it puts pieces back; the next attempt finds them there.
            self._simulation.help(believed)
        return done

    def _read_moves(self, state: State, role: str, move: str) -> Moves:
        """Return the moves of a step in which a role plays a move. Raises GdlError."""
        engine = self._match.engine
        try:
            term = read_term(move)
        except ValueError as error:
            raise BoardError(f'{move!r} is no move: {error}') from error
        legal = engine.legal_moves(state)
        actors = engine.actors(state)
        player = Symbol(role)
        if player not in actors or term not in legal[player]:
            raise IllegalMoveError(role, move, legal.get(player, ()) if player in actors else ())
        if engine.game.turns is Turns.JOINT and set(actors) - {player, NATURE}:
            raise BoardError(
                f'{engine.game.name}: several roles move at once here; an arm plays one at a time'
            )
        outcomes = engine.drawable_outcomes(state, term)
        if len(outcomes) > 1:
            raise BoardError(f'{move} depends on chance, which an arm cannot draw')
        return {player: outcomes[0].value}

    def _to_feedback(self, now: MotionStage) -> PlayMove.Feedback:
        motion = now.transfer.motion
        return PlayMove.Feedback(
            piece=motion.piece,
            purpose=motion.purpose,
            stage=now.stage,
            origin=self._name(motion.origin),
            target=self._name(motion.target),
            motion=now.motion,
            motions=now.motions,
        )

    def _name(self, spot: Spot) -> str:
        return self._geometry.name(spot)

    # ---- the camera

    def _on_seen(self, message: SeenBoard) -> None:
        with self._has_picture:
            self._picture = message
            self._pictures += 1
            self._has_picture.notify_all()

    def _look(self) -> SeenSquares | None:
        """Return a picture that was taken after now; None where there never was one."""
        with self._has_picture:
            if not self._pictures and self._camera is None:
                return None
            # One may be on its way already.
            wanted = self._pictures + 2
            if not self._has_picture.wait_for(lambda: self._pictures >= wanted, _PATIENCE):
                raise MotionError(f'the camera has sent no picture for {_PATIENCE:g} s')
            picture = self._picture
        return from_seen_board(picture, self._match.reader)

    def _simulate(self) -> None:
        """Let people act, and publish what the camera sees."""
        if self._simulation is None or self._match.problem:
            return
        self._simulation.act(None if self._worker.is_busy else self._match.state, self._match.turn)
        self._simulation.publish()

    def _publish_seen(self, seen: SeenSquares) -> None:
        stamp = self.get_clock().now().to_msg()
        frame = self._geometry.setup.frame if self._arranger else ''
        self._camera.publish(to_seen_board(seen, self._match.reader, frame, stamp))


def _find_executor(name: str) -> Any:
    """Return the class of an executor; None for a simulated one. Raises ParameterError."""
    if name == SIMULATED:
        return None
    if name == PHYSICS:
        try:
            require(f'executor {PHYSICS}', *OF_PHYSICS)
        except GdlError as error:
            raise ParameterError(str(error)) from error
        return None
    try:
        return load_hook(name)
    except GdlError as error:
        raise ParameterError(f'executor: {error}') from error


def main() -> None:
    """Wait for moves until stopped."""
    run(RobotNode)
    leave(0)
