"""A simulated arm with physics plays a simulated hand, and all it knows comes from pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('mujoco', reason='MuJoCo is not installed')
pytest.importorskip('cv2', reason='OpenCV is not installed')

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def arm(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / 'benchmark'))
    import arm_game

    try:
        from mujoco.osmesa import GLContext

        GLContext(8, 8).free()
    except Exception as error:  # OpenGL's loaders raise whatever they like
        pytest.skip(f'no pictures without libosmesa6: {error}')
    return arm_game


def open_table(arm: Any, name: str, **options: Any) -> Any:
    table = arm.ArmGame(name, 11, size=(640, 480), **options)
    table.arranger = arm.Arranger(table.geometry, table.recogniser, table.table, table.look)
    return table


def test_a_game_is_played_to_its_end(arm: Any) -> None:
    table = open_table(arm, 'tictactoe')
    assert table.play(most=9)
    count = table.count
    assert (count.wrong_squares, count.mistaken, count.stopped) == (0, 0, 0)
    assert count.recognised == count.shown == count.moves // 2
    assert count.motions == (count.moves + 1) // 2
    table.close()


@pytest.mark.parametrize(
    ('name', 'moves', 'motions'),
    [
        # A pawn is taken; a disc is turned over; a man jumps another one.
        ('chess', ['(move e 2 e 4)', '(move d 7 d 5)', '(move e 4 d 5)'], 3),
        ('othello', ['(place 4 3)', '(place 5 3)', '(place 6 2)'], 4),
    ],
)
def test_pieces_are_taken_and_turned_over(
    arm: Any, name: str, moves: list[str], motions: int
) -> None:
    from gdl_env.language.reader import read_term

    table = open_table(arm, name)
    for text in moves:
        (role,) = table.engine.actors(table.state)
        assert table.play_move({role: read_term(text)})
    assert table.count.words == []
    assert (table.count.motions, table.count.recognised) == (motions, 1)
    table.close()


def test_pictures_tell_moves_and_failures(arm: Any) -> None:
    from arm_pictures import PictureTest

    test = PictureTest(open_table(arm, 'tictactoe'))
    test.run(20)
    count = test.count
    assert (count.moves, count.recognised, count.mistaken, count.told) == (20, 20, 0, 0)
    assert count.failures == count.noticed == 1
    # A picture in which something has moved since the last one tells nothing.
    assert count.pictures == 2 * count.moves


def test_a_piece_that_falls_is_told_and_put_right(arm: Any) -> None:
    table = open_table(arm, 'chess')
    (place,) = (p for p in table.start if table.reader.name(p) == 'd1')
    table.table.knock_over(place)
    before = table.table.position
    moves = table.choose()
    after = table.reader.read(table.engine.next_state(table.state, moves))
    done = table.arranger.arrange(
        table.start, after, (), table.show_stage, is_cancelled=lambda: False
    )
    # The arm does not begin.
    assert done.motions == 0
    assert 'd1' in done.message
    assert table.table.position == before
    assert table.play_move(moves)
    assert table.table.position == after
    assert table.count.told >= 1
    table.close()


def test_a_lost_piece_is_noticed(arm: Any) -> None:
    table = open_table(arm, 'tictactoe', trouble=arm.Disturbances(slips=1.0))
    wanted = table.reader.read(table.engine.next_state(table.state, table.choose()))
    done = table.arranger.arrange({}, wanted, (), table.show_stage, is_cancelled=lambda: False)
    assert done.message
    assert table.table.position != wanted
    table.close()


def test_a_wrong_move_of_the_hand_is_told(arm: Any) -> None:
    table = open_table(arm, 'checkers', trouble=arm.Disturbances(blunders=1.0))
    table.state = table.engine.next_state(table.state, table.choose())
    table.table.set_up(table.reader.read(table.state))
    assert table.play_move(table.choose())
    assert table.count.words[0].startswith('No legal move leads to this board. Take the ')
    assert (table.count.told, table.count.recovered, table.count.recognised) == (1, 1, 1)
    table.close()


def test_squares_below_hand_or_arm_are_left_out(arm: Any) -> None:
    table = open_table(arm, 'chess')
    places = {table.reader.name(place): place for place in table.reader.places}
    x, y, z = table.geometry.point(places['d5'])
    table.table.world.move_hand((x, y, z + 0.1))
    table.table.world.advance(0.1)
    # A picture that differs from the one before says nothing.
    assert table.look() == {}
    seen = table.look()
    assert places['d5'] not in seen
    assert {places['a1'], places['h8']} <= set(seen)
    assert not table.recogniser.check(table.start, seen).advice
    table.close()


def test_pictures_twice_as_noisy_as_by_default_are_read(arm: Any) -> None:
    from gdl_env.robot.physics.table_camera import PictureNoise

    table = open_table(arm, 'gomoku', noise=PictureNoise(8.0, 0.1))
    for _ in range(6):
        table.state = table.engine.next_state(table.state, table.choose())
    position = table.reader.read(table.state)
    table.table.set_up(position)
    # Stones have moved since the camera learned.
    assert table.look() == {}
    seen = table.look()
    assert set(seen) == set(table.reader.places)
    found = {place: max(shares, key=shares.get) for place, shares in seen.items()}
    assert {place: what for place, what in found.items() if what} == position
    table.close()


@pytest.mark.parametrize('piece', ['white', 'black'])
def test_the_light_is_not_judged_by_the_pieces(arm: Any, piece: str) -> None:
    from gdl_env.robot.physics.table_camera import PictureNoise

    table = open_table(arm, 'othello', noise=PictureNoise(4.0, 0.15))
    for count in (12, 36, 60):
        position = dict.fromkeys(table.reader.places[:count], (piece,))
        table.table.set_up(position)
        table.look()
        check = table.recogniser.check(position, table.look())
        assert (check.advice, check.unclear) == ('', ())
    table.close()
