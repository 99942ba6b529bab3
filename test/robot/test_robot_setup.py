"""Where boards, squares and trays are, and the files that say so."""

from __future__ import annotations

from math import pi

import pytest
from real_board import RealBoard, open_board

from gdl_env.robot.errors import SetupError
from gdl_env.robot.piece_motions import plan_motions
from gdl_env.robot.robot_setup import BoardPose, Geometry, RobotSetup, default_setup
from gdl_env.robot.setup_file import parse_setup, write_setup
from gdl_env.robot.transfers import to_transfers
from gdl_env.robot.trays import Slot


def defaults(board: RealBoard) -> RobotSetup:
    return default_setup(board.reader, board.reader.read(board.engine.initial_state))


def parse(text: str, game: str = 'tictactoe') -> RobotSetup:
    board = open_board(game)
    return parse_setup(
        text, board.reader, board.reader.read(board.engine.initial_state), 'my.yaml'
    )


def test_squares_are_as_on_a_chess_board() -> None:
    board = open_board('chess')
    geometry = Geometry(defaults(board), board.reader)
    assert geometry.size == pytest.approx((0.4, 0.4))
    assert geometry.point(board.reader.place('a1')) == pytest.approx((0.025, 0.025, 0.0))
    assert geometry.point(board.reader.place('h8')) == pytest.approx((0.375, 0.375, 0.0))


@pytest.mark.parametrize('name', ['backgammon', 'hex', 'nim', 'monty_hall', 'battleship', 'chess'])
def test_no_two_spots_are_closer_than_pieces_are_wide(name: str) -> None:
    board = open_board(name)
    setup = defaults(board)
    geometry = Geometry(setup, board.reader)
    spots = [geometry.point(spot) for spot in (*board.reader.places, *geometry.slots())]
    assert len(spots) > 4
    for number, (x, y, _) in enumerate(spots):
        for a, b, _ in spots[:number]:
            assert (x - a) ** 2 + (y - b) ** 2 > (0.99 * setup.shape.width) ** 2


def test_pieces_lie_on_those_below_them_or_beside_them() -> None:
    board = open_board('backgammon')
    geometry = Geometry(defaults(board), board.reader)
    point = board.reader.place('6')
    first, second = geometry.point(point), geometry.point(point, ('white',))
    assert (second[0], second[2]) == (first[0], first[2])
    assert second[1] - first[1] == pytest.approx(0.05)
    sixth = geometry.point(point, ('white',) * 5)
    assert sixth[:2] == pytest.approx(first[:2])
    assert sixth[2] == pytest.approx(0.02)


def test_a_pose_turns_about_the_fixed_axes() -> None:
    assert BoardPose(x=1.0, yaw=pi / 2).to_parent((0.5, 0.0, 0.2)) == pytest.approx((1, 0.5, 0.2))
    assert BoardPose(roll=pi / 2).to_parent((0, 1, 0)) == pytest.approx((0, 0, 1))
    assert BoardPose(pitch=pi / 2).to_parent((1, 0, 0)) == pytest.approx((0, 0, -1))


def test_transfers_have_the_poses_of_both_ends() -> None:
    board = open_board('chess')
    setup = defaults(board)
    geometry = Geometry(setup, board.reader)
    before, after = board.engine.initial_state, board.play('(move e 2 e 4)')
    position = board.reader.read(before)
    plan = plan_motions(position, board.reader.read(after), geometry.empty_trays())
    (transfer,) = to_transfers(plan.motions, position, geometry.empty_trays(), geometry)
    assert transfer.pick == pytest.approx((0.225, 0.075, 0.0))
    assert transfer.put == pytest.approx((0.225, 0.175, 0.0))
    assert transfer.shape.height < setup.shape_of('white king').height


def test_trays_are_beside_the_board() -> None:
    board = open_board('chess')
    geometry = Geometry(defaults(board), board.reader)
    assert geometry.point(Slot('captured', 0))[0] < 0
    assert geometry.point(Slot('reserve', 0))[0] > geometry.size[0]


def test_a_file_changes_what_it_names() -> None:
    setup = parse(
        'square: 0.04\npose: {x: 0.3, yaw: 1.5}\nparent: base\n'
        'pieces: {x: {height: 0.03, grasp: 0.02, count: 5}}\nreserve: {x: 0.5}\n'
    )
    assert (setup.square, setup.pose.x, setup.pose.yaw, setup.parent) == (0.04, 0.3, 1.5, 'base')
    assert setup.shape_of('x').height == 0.03
    assert setup.shape_of('o').height == pytest.approx(0.016)
    assert setup.counts == {'x': 5}
    assert setup.reserve.x == 0.5


@pytest.mark.parametrize('name', ['tictactoe', 'chess', 'othello'])
def test_what_is_written_is_read_again(name: str) -> None:
    board = open_board(name)
    setup = defaults(board)
    start = board.reader.read(board.engine.initial_state)
    text = write_setup(setup)
    assert write_setup(parse_setup(text, board.reader, start)) == text


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('squares: 0.04', "my.yaml: unknown key 'squares'; did you mean square?"),
        ('square: -1', 'my.yaml: square should be more than 0, not -1'),
        ('square: wide', "my.yaml: square should be a number, not 'wide'"),
        ('pose: {w: 1}', "my.yaml: pose: unknown key 'w'"),
        ('frame: /board', "my.yaml: frame: '/board' is no name of a frame"),
        ('parent: board', "my.yaml: frame 'board' and parent 'board' must differ"),
        ('pieces: {z: {height: 1}}', "my.yaml: pieces: unknown key 'z'"),
        ('pieces: {x: {grasp: 1}}', 'my.yaml: pieces: x: grasp 1 is above its height'),
        ('pieces: {x: {opening: 0.01}}', 'opening 0.01 must be larger than its width 0.03'),
        ('pieces: {x: {count: -1}}', 'count should be a whole number, 0 or more, not -1'),
        ('flips: [[x, z]]', "my.yaml: flips: unknown piece 'z'"),
        ('flips: [[x]]', "my.yaml: flips: \\['x'\\] is no pair of two different pieces"),
        ('captured: {rows: 1.5}', 'captured: rows should be a whole number, not 1.5'),
        ('[', 'my.yaml is no YAML'),
        ('3', 'my.yaml: expected keys with values; allowed: frame, parent'),
    ],
)
def test_mistakes_are_named_with_their_place(text: str, message: str) -> None:
    with pytest.raises(SetupError, match=message):
        parse(text)
