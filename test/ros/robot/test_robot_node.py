"""Matches with real pieces: an arm, a camera and a person's hand, all of them simulated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(300)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from gdl_msgs.action import PlayMove, ResetBoard, WaitForMove  # noqa: E402
from gdl_msgs.msg import SeenBoard, SeenSquare  # noqa: E402
from graph import Graph, read_all  # noqa: E402
from policy_reader import find_refused, read_policy  # noqa: E402
from rclpy.action import ActionClient  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile  # noqa: E402
from tf2_msgs.msg import TFMessage  # noqa: E402

from gdl_env.ros.security.access import MatchAccess  # noqa: E402
from gdl_env.ros.security.policy_file import write_policy  # noqa: E402
from gdl_env.ros.transport.qos import seen_board_qos  # noqa: E402

LISTENER = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
OWN_ARM = """
from gdl_env.robot.executor import Executor, MotionError

class Arm(Executor):
    def __init__(self, setup):
        self.log = open({log!r}, 'a', buffering=1)

    def transfer(self, transfer, report):
        motion = transfer.motion
        report('grasp')
        print(motion.purpose, motion.piece, *(round(v, 3) for v in transfer.put), file=self.log)
        if motion.piece == 'o':
            raise MotionError('the gripper is stuck')
"""


class Caller:
    """Sends goals of one action, and collects what is said about them."""

    def __init__(self, graph: Graph, action: Any, name: str) -> None:
        self._graph = graph
        self._action = action
        self._client = graph.do(lambda: ActionClient(graph.node, action, name))
        self.feedback: list[Any] = []

    def send(self, **fields: object) -> Any:
        """Send a goal, again and again until the node is ready for it."""
        self._graph.wait(self._client.server_is_ready)

        def accepted() -> Any:
            sent = self._graph.do(
                lambda: self._client.send_goal_async(
                    self._action.Goal(**fields),
                    feedback_callback=lambda told: self.feedback.append(told.feedback),
                )
            )
            self._graph.wait(sent.done)
            handle = sent.result()
            return handle if handle.accepted else None

        return self._graph.wait(accepted)

    def result(self, goal: Any) -> Any:
        found = self._graph.do(goal.get_result_async)
        self._graph.wait(found.done)
        return found.result().result

    def close(self) -> None:
        self._graph.do(self._client.destroy)


def square(name: str, piece: str) -> SeenSquare:
    return SeenSquare(square=name, pieces=[piece], confidences=[0.99])


def tictactoe(**pieces: str) -> SeenBoard:
    """Return a picture of a whole board."""
    names = [f'row_{r}_column_{c}' for r in (1, 2, 3) for c in (1, 2, 3)]
    return SeenBoard(squares=[square(name, pieces.get(name, '')) for name in names])


def test_an_arm_plays_a_clumsy_hand_through_a_camera(graph: Graph) -> None:
    graph.environment(play_clock=0.0, missing_clock=0.0)
    frames = graph.collect(TFMessage, '/tf_static', LISTENER)
    table = {'hands': ['o'], 'blunders': 0.5, 'slips': 0.1, 'seed': 3, 'camera_period': 0.05}
    robot = graph.start('robot_node', motion_seconds=0.01, **table)
    graph.start('perception_node')
    graph.start('agent_node', node='x_agent', agent='robot:random', role='x')
    graph.start('agent_node', node='o_agent', agent='hand', role='o')
    result = graph.play(2, seed=5, seconds=240)
    assert result.finished_episodes == 2
    # What was played is what was seen: no answer was illegal or late.
    assert [role.strikes for role in result.roles] == [0, 0]
    assert 'ready for tictactoe on 0.15 m by 0.15 m; pieces: o, x' in robot.output
    # A mistake of the hand was told, and put right.
    told = graph.report()
    assert 'No legal move leads to this board. Take the' in told
    graph.wait(lambda: frames)
    names = {one.child_frame_id for one in read_all(frames, TFMessage)[-1].transforms}
    assert {'board/row_3_column_1', 'board/captured_1', 'board/reserve_2'} <= names
    # All of that is what the policy allows each of them.
    access = MatchAccess(('x', 'o'), is_open=True, arms=('x',), hands=('o',))
    space = graph.namespace
    found = read_policy(write_policy(space, access.nodes()))
    nodes = {'robot': 'robot_node', 'perception': 'perception_node'}
    agents = {f'agents/{role}': f'{role}_agent' for role in ('x', 'o')}
    beside = {enclave: f'{node}_actions' for enclave, node in agents.items()}
    for enclave, node in [*nodes.items(), *agents.items(), *beside.items()]:
        assert find_refused(graph, found[f'{space}/{enclave}'], node, space) == {}, node


def test_an_arm_of_ones_own(graph: Graph, tmp_path: Path) -> None:
    log = tmp_path / 'moved.txt'
    (tmp_path / 'own.py').write_text(OWN_ARM.format(log=str(log)))
    (tmp_path / 'table.yaml').write_text('square: 0.1\nparent: base\npose: {x: 0.4}\n')
    frames = graph.collect(TFMessage, '/tf_static', LISTENER)
    graph.environment(play_clock=0.0, missing_clock=0.0)
    graph.start(
        'robot_node',
        executor=f'{tmp_path / "own.py"}:Arm',
        setup=str(tmp_path / 'table.yaml'),
    )
    move = Caller(graph, PlayMove, 'play_move')
    start = [f'(cell {r} {c} b)' for r in (1, 2, 3) for c in (1, 2, 3)]
    goal = move.send(role='x', move='(mark 1 3)', facts=[*start, '(control x)'])
    result = move.result(goal)
    assert (result.success, result.motions, result.message) == (True, 1, '')
    assert log.read_text() == 'place x 0.25 0.25 0.0\n'
    (told,) = move.feedback
    assert (told.piece, told.stage, told.origin) == ('x', 'grasp', 'reserve_2')
    assert (told.target, told.motion, told.motions) == ('row_1_column_3', 1, 1)
    (board,) = (
        one for one in read_all(frames, TFMessage)[-1].transforms if one.child_frame_id == 'board'
    )
    assert (board.header.frame_id, board.transform.translation.x) == ('base', 0.4)

    # What cannot be done is said in words.
    goal = move.send(role='x', move='(mark 4 4)', facts=[*start, '(control x)'])
    assert '(mark 4 4) is not a legal move of x; legal: (mark 1 1)' in move.result(goal).message
    goal = move.send(role='o', move='(mark 1 3)', facts=[*start, '(control o)'])
    result = move.result(goal)
    assert (result.success, result.message) == (False, 'the gripper is stuck.')
    reset = Caller(graph, ResetBoard, 'reset_board')
    result = reset.result(reset.send(facts=[*start, '(control x)']))
    # Without a camera, pieces are where they should be, as far as the arm knows.
    assert (result.success, result.motions) == (True, 0)
    for caller in (move, reset):
        caller.close()


def test_a_person_is_told_what_to_put_where(graph: Graph) -> None:
    graph.environment(play_clock=0.0, missing_clock=0.0)
    graph.start('perception_node', pictures=2)
    wait = Caller(graph, WaitForMove, 'wait_for_move')
    camera = graph.publisher(SeenBoard, 'seen_board', seen_board_qos())

    def show(picture: SeenBoard, until: Any) -> None:
        def shown() -> Any:
            camera.publish(picture)
            return until()

        graph.wait(shown)

    facts = [f'(cell {r} {c} b)' for r in (1, 2, 3) for c in (1, 2, 3)]
    goal = wait.send(role='x', facts=[*facts, '(control x)'])
    found = graph.do(goal.get_result_async)
    show(tictactoe(row_1_column_1='o'), lambda: wait.feedback)
    assert wait.feedback[-1].advice == (
        'No legal move leads to this board. Take the o off row 1, column 1.'
    )
    show(tictactoe(), lambda: not wait.feedback[-1].advice)
    show(tictactoe(row_2_column_3='x'), found.done)
    assert (found.result().result.success, found.result().result.move) == (True, '(mark 2 3)')

    # A picture of another board is dropped, and the wait continues until it is cancelled.
    goal = wait.send(role='x', facts=[*facts, '(control x)'])
    found = graph.do(goal.get_result_async)
    graph.do(goal.cancel_goal_async)
    graph.wait(found.done)
    assert found.result().result.message == 'cancelled'
    # Whose turn it is not need not move.
    result = wait.result(wait.send(role='o', facts=[*facts, '(control x)']))
    assert result.message == 'o has no move in this position'
    wait.close()


def test_a_game_that_hides_something_is_refused(graph: Graph) -> None:
    graph.environment('krieg_tictactoe')
    robot = graph.start('robot_node')
    expected = 'krieg_tictactoe hides something: a board on a table shows all its pieces'
    graph.wait(lambda: expected in robot.output)


@pytest.mark.parametrize(
    ('parameters', 'message'),
    [
        (['executor:=nothing.py:Arm'], "executor: 'nothing.py' cannot be loaded"),
        (['executor:=os:sep', 'hands:=[x]'], 'hands are simulated, but the executor is not'),
        (['slips:=2.0'], 'slips'),
    ],
)
def test_impossible_parameters(graph: Graph, parameters: list[str], message: str) -> None:
    words = [word for each in parameters for word in ('-p', each)]
    robot = graph.start('robot_node', '--ros-args', *words)
    graph.wait(lambda: robot.popen.poll() is not None)
    assert robot.popen.returncode == 1
    assert message in robot.output
    assert 'Traceback' not in robot.output
