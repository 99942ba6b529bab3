"""The table with physics: what is reached, held, turned over, and where pieces end up."""

from __future__ import annotations

from math import pi

import pytest

pytest.importorskip('mujoco', reason='MuJoCo is not installed')
pytest.importorskip('cv2', reason='OpenCV is not installed')

from real_board import open_board

from gdl_env.robot.executor import MotionError
from gdl_env.robot.physics.arm import JointPath
from gdl_env.robot.physics.kinematics import ArmKinematics
from gdl_env.robot.physics.physical_table import PhysicalTable
from gdl_env.robot.physics.piece_faces import draw_faces
from gdl_env.robot.physics.table_layout import lay_out
from gdl_env.robot.robot_setup import Geometry, default_setup


def make_geometry(name: str, square: float = 0.05) -> Geometry:
    board = open_board(name)
    start = board.reader.read(board.engine.initial_state)
    return Geometry(default_setup(board.reader, start, square), board.reader)


@pytest.mark.parametrize(('name', 'square'), [('tictactoe', 0.05), ('chess', 0.03), ('hex', 0.06)])
def test_every_square_and_slot_is_reached(name: str, square: float) -> None:
    geometry = make_geometry(name, square)
    kinematics = ArmKinematics(lay_out(geometry, 320, 240))
    for spot in [*geometry.reader.places, *geometry.slots()]:
        x, y, z = geometry.point(spot)
        for point in ((x, y, z + 0.01), (x, y, z + geometry.setup.clearance)):
            for yaw in (pi / 4, -pi / 4):
                angles = kinematics.start(point, yaw)
                assert kinematics.tip(angles) == pytest.approx(point, abs=2e-4)


def test_what_is_too_far_is_out_of_reach() -> None:
    kinematics = ArmKinematics(lay_out(make_geometry('tictactoe'), 320, 240))
    with pytest.raises(MotionError, match=r'\(2.000, 0.000, 0.100\) is out of reach'):
        kinematics.start((2.0, 0.0, 0.1), 0.0)


def test_a_hand_moves_pieces_and_nothing_gets_lost() -> None:
    board = open_board('checkers')
    geometry = make_geometry('checkers')
    start = board.reader.read(board.engine.initial_state)
    table = PhysicalTable(geometry, lay_out(geometry, 320, 240), start)
    assert table.position == start
    _, *others = sorted(start)
    moved = {place: start[place] for place in others}
    table.rearrange(moved)
    assert table.position == moved
    table.rearrange(start)
    assert table.position == start
    # What was taken away comes back, whatever it was.
    for _ in range(3):
        table.set_up({})
        table.set_up(start)
        assert table.position == start


def test_a_hand_takes_away_what_stands_between_squares() -> None:
    geometry = make_geometry('tictactoe')
    table = PhysicalTable(geometry, lay_out(geometry, 320, 240), {})
    one, other = geometry.reader.places[3:5]
    table.set_up({one: ('x',)})
    (body,) = table.world.standing(geometry.point(one), 0.01)
    x, y, z = geometry.point(one)
    square = geometry.setup.square
    between = x + 0.5 * square, y, z
    table.world.put(body, between)
    assert table.position == {}
    table.rearrange({other: ('x',)})
    assert table.position == {other: ('x',)}
    assert table.world.standing(between, 0.4 * square) == []


def test_paths_are_shown_before_they_are_followed() -> None:
    geometry = make_geometry('tictactoe')
    table = PhysicalTable(geometry, lay_out(geometry, 320, 240), {})
    paths: list[JointPath] = []
    table.follow_paths(paths.append)
    table.rest()
    assert paths == []
    from gdl_env.robot.piece_motions import plan_motions
    from gdl_env.robot.transfers import to_transfers

    place = geometry.reader.places[4]
    trays = geometry.empty_trays()
    plan = plan_motions({}, {place: ('x',)}, trays)
    (transfer,) = to_transfers(plan.motions, {}, trays, geometry)
    stages: list[str] = []
    table.transfer(transfer, stages.append)
    table.rest()
    assert stages == ['approach', 'grasp', 'lift', 'carry', 'lower', 'release', 'retreat']
    assert table.position == {place: ('x',)}
    for path in paths:
        assert path.angles.shape == (len(path.times), 5)
        assert (path.times[1:] > path.times[:-1]).all()
    # What is not there cannot be held.
    table.set_up({})
    table.transfer(transfer, stages.append)
    with pytest.raises(MotionError, match='the gripper closed on nothing: no x from row 2, col'):
        from dataclasses import replace

        motion = replace(transfer.motion, origin=place, target=geometry.reader.places[0])
        table.set_up({})
        table.transfer(replace(transfer, motion=motion, pick=transfer.put), stages.append)


@pytest.mark.parametrize('name', ['chess', 'checkers', 'breakthrough', 'tictactoe'])
def test_no_two_pieces_look_alike_from_above(name: str) -> None:
    reader = open_board(name).reader
    faces = draw_faces(reader.picture(piece) for piece in reader.pieces)
    assert set(faces) == set(reader.pieces)
    assert len({face.tobytes() for face in faces.values()}) == len(faces)
