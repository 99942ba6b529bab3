"""What a camera sees becomes a move, or words."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest
from real_board import RealBoard, open_board, random_steps

from gdl_env.engine.contract import State
from gdl_env.errors import GdlError
from gdl_env.robot.perception import BoardVerdict, Recogniser, Recognition, SeenSquares
from gdl_env.robot.positions import Position
from gdl_env.robot.simulated_camera import CameraNoise, look_at

EXACT = CameraNoise(confidence=1.0)


def show(board: RealBoard, position: Position, noise: CameraNoise = EXACT) -> SeenSquares:
    return look_at(position, board.reader.places, board.reader.pieces, noise, Random(1))


def edit(board: RealBoard, position: Position, **changes: str) -> Position:
    """Return a position with other pieces on some squares; '' takes what is there away."""
    changed = dict(position)
    for name, piece in changes.items():
        changed.pop(board.reader.place(name), None)
        if piece:
            changed[board.reader.place(name)] = (piece,)
    return changed


def recognise(board: RealBoard, state: State, seen: SeenSquares) -> Recognition:
    return Recogniser(board.engine, board.reader).recognise(state, seen)


def recognise_edit(game: str, *moves: str, **changes: str) -> Recognition:
    """Play moves, change squares by hand, and look."""
    board = open_board(game)
    state = board.play(*moves)
    position = edit(board, board.reader.read(state), **changes)
    return recognise(board, state, show(board, position))


def test_a_board_as_it_was_is_waited_for() -> None:
    assert recognise_edit('chess') == Recognition(BoardVerdict.WAITING)


def test_a_move_by_hand_is_recognised() -> None:
    found = recognise_edit('chess', e2='', e4='white pawn')
    assert found == Recognition(BoardVerdict.MOVED, {'white': '(move e 2 e 4)'})


def test_only_the_rules_decide_what_was_taken_en_passant() -> None:
    moves = ('(move e 2 e 4)', '(move a 7 a 6)', '(move e 4 e 5)', '(move d 7 d 5)')
    found = recognise_edit('chess', *moves, e5='', d6='white pawn', d5='')
    assert found.moves == {'white': '(move e 5 d 6)'}
    found = recognise_edit('chess', *moves, e5='', d6='white pawn')
    assert found.verdict is BoardVerdict.WRONG
    assert found.advice == 'white: e5 → d6 is not complete. Take the black pawn off d5.'


def test_an_illegal_move_is_put_back() -> None:
    found = recognise_edit('chess', e2='', e5='white pawn')
    assert found.verdict is BoardVerdict.WRONG
    assert found.advice == ('No legal move leads to this board. Put the white pawn from e5 on e2.')


def test_a_piece_that_vanished_is_asked_for() -> None:
    found = recognise_edit('chess', d8='')
    assert found.verdict is BoardVerdict.WRONG
    assert found.advice == 'No legal move leads to this board. Put a black queen on d8.'


def test_squares_that_cannot_be_seen_are_explained_by_the_others() -> None:
    board = open_board('chess')
    state = board.engine.initial_state
    position = edit(board, board.reader.read(state), e2='', e4='white pawn')
    seen = dict(show(board, position))
    # A hand covers where the pawn stands now; it cannot be anywhere else than on e3 or e4.
    del seen[board.reader.place('e4')]
    assert recognise(board, state, seen).moves == {'white': '(move e 2 e 4)'}
    del seen[board.reader.place('e3')]
    found = recognise(board, state, seen)
    assert found.verdict is BoardVerdict.AMBIGUOUS
    assert found.advice == (
        'It may be white: e2 → e3 or white: e2 → e4; the difference is on e4, e3.'
    )


def test_nothing_is_assumed_while_the_board_is_covered() -> None:
    board = open_board('tictactoe')
    state = board.engine.initial_state
    found = recognise(board, state, {})
    assert found.verdict is BoardVerdict.WAITING


def test_a_square_that_is_not_clear_is_named() -> None:
    board = open_board('chess')
    state = board.engine.initial_state
    seen = {place: dict(found) for place, found in show(board, board.reader.read(state)).items()}
    # The king was knocked over: it looks like many things, and least like a king.
    seen[board.reader.place('e1')] = {
        ('white pawn',): 0.4,
        ('white rook',): 0.3,
        (): 0.29,
        ('white king',): 0.01,
    }
    found = recognise(board, state, seen)
    assert found.verdict is BoardVerdict.WRONG
    assert found.advice.endswith('Check e1, which is not clear: a white king should stand there.')


def test_the_moves_of_a_role_can_be_restricted() -> None:
    board = open_board('tictactoe')
    state = board.engine.initial_state
    seen = show(board, edit(board, board.reader.read(state), row_1_column_1='x'))
    recogniser = Recogniser(board.engine, board.reader)
    assert recogniser.recognise(state, seen).moves == {'x': '(mark 1 1)'}
    found = recogniser.recognise(state, seen, {'x': ['(mark 2 2)']})
    assert found.verdict is BoardVerdict.WRONG


def test_too_many_combinations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    board = open_board('lazerbike')
    recogniser = Recogniser(board.engine, board.reader)
    monkeypatch.setattr(board.engine, 'legal_moves', many_moves(board))
    with pytest.raises(GdlError, match='more than 2,000 combinations of moves'):
        recogniser.recognise(board.engine.initial_state, {})


def many_moves(board: RealBoard):  # type: ignore[no-untyped-def]
    legal = board.engine.legal_moves

    def repeated(state: State) -> Mapping[object, tuple[object, ...]]:
        return {role: moves * 40 for role, moves in legal(state).items()}

    return repeated


# Games in which what is played can be seen on the board, and nothing is hidden.
@pytest.mark.parametrize(
    ('name', 'steps'),
    [
        *(('tictactoe', 9), ('connect_four', 14), ('othello', 10), ('hex(size=5)', 12)),
        *(('breakthrough(size=6)', 8), ('checkers', 8), ('chess', 4), ('nim', 5)),
        *(('gomoku(size=9)', 6), ('lazerbike', 4)),
    ],
)
@pytest.mark.parametrize('confidence', [1.0, 0.92])
def test_every_move_of_random_games_is_recognised(
    name: str, steps: int, confidence: float
) -> None:
    board = open_board(name)
    recogniser = Recogniser(board.engine, board.reader)
    camera, count = Random(1), 0
    noise = CameraNoise(confidence=confidence)
    for before, moves, after in random_steps(board, 3, steps):
        wanted = board.reader.read(after)
        if wanted == board.reader.read(before):
            continue
        seen = look_at(wanted, board.reader.places, board.reader.pieces, noise, camera)
        assert recogniser.recognise(before, seen).moves == moves
        count += 1
    assert count
