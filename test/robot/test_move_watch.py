"""Pictures of one turn: a hand may be in any of them."""

from __future__ import annotations

from random import Random

from real_board import open_board

from gdl_env.robot.move_watch import MoveWatch
from gdl_env.robot.perception import BoardVerdict, Recogniser, SeenSquares
from gdl_env.robot.simulated_camera import CameraNoise, look_at

BOARD = open_board('tictactoe')
START = BOARD.engine.initial_state


def show(*moves: str) -> SeenSquares:
    position = BOARD.reader.read(BOARD.play(*moves))
    places, pieces = BOARD.reader.places, BOARD.reader.pieces
    return look_at(position, places, pieces, CameraNoise(confidence=1.0), Random(1))


def test_pictures_in_a_row_have_to_mean_the_same() -> None:
    watch = MoveWatch(Recogniser(BOARD.engine, BOARD.reader), START, pictures=2)
    one, other = show('(mark 1 1)'), show('(mark 2 2)')
    assert watch.take(one) is None
    # The piece was only on its way.
    assert watch.take(other) is None
    # The hand is in the picture: what was seen before does not count any more.
    assert watch.take({}) is None
    assert watch.take(other) is None
    found = watch.take(other)
    assert found is not None
    assert (found.verdict, found.moves) == (BoardVerdict.MOVED, {'x': '(mark 2 2)'})


def test_a_camera_that_shows_nothing_is_told() -> None:
    watch = MoveWatch(Recogniser(BOARD.engine, BOARD.reader), START, pictures=1)
    found = [watch.take({}) for _ in range(25)]
    assert found[:24] == [None] * 24
    last = found[24]
    assert last is not None
    assert last.advice == 'The camera does not show the board.'
    # Once it shows the board again, all is well.
    seen = watch.take(show())
    assert seen is not None and seen.advice == ''


def test_each_position_is_explained_again() -> None:
    recogniser = Recogniser(BOARD.engine, BOARD.reader)
    played = show('(mark 1 1)')
    assert recogniser.recognise(START, played).moves == {'x': '(mark 1 1)'}
    after = BOARD.play('(mark 1 1)')
    assert recogniser.recognise(after, played).verdict is BoardVerdict.WAITING
    found = recogniser.recognise(after, show('(mark 1 1)', '(mark 3 3)'))
    assert found.moves == {'o': '(mark 3 3)'}
    # And so is the same one, if other moves are allowed.
    found = recogniser.recognise(START, played, {'x': ['(mark 2 2)']})
    assert found.verdict is BoardVerdict.WRONG
    assert recogniser.recognise(START, played).moves == {'x': '(mark 1 1)'}
