"""Positions of any game with a board, from the picture of the game."""

from __future__ import annotations

import pytest
from real_board import open_board

from gdl_env.language.load import open_game
from gdl_env.robot.errors import BoardError
from gdl_env.robot.positions import Place, PositionReader


def test_chess_has_named_squares_and_pieces() -> None:
    board = open_board('chess')
    position = board.reader.read(board.engine.initial_state)
    assert len(position) == 32
    assert position[board.reader.place('e1')] == ('white king',)
    assert board.reader.words(board.reader.place('e1')) == 'e1'
    assert len(board.reader.pieces) == 12


def test_rows_and_columns_that_are_numbers_are_named_as_such() -> None:
    board = open_board('tictactoe')
    position = board.reader.read(board.play('(mark 1 3)'))
    ((place, pieces),) = position.items()
    assert (place.row, place.column, pieces) == (0, 2, ('x',))
    assert board.reader.name(place) == 'row_1_column_3'
    assert board.reader.words(place) == 'row 1, column 3'
    assert board.reader.pieces == ('o', 'x')


def test_stacks_have_all_their_pieces() -> None:
    board = open_board('backgammon')
    position = board.reader.read(board.engine.initial_state)
    assert sum(map(len, position.values())) == 30
    assert position[board.reader.place('24')] == ('white', 'white')


def test_what_is_printed_on_the_board_is_no_piece() -> None:
    board = open_board('sokoban')
    board.reader.read(board.engine.initial_state)
    assert 'place for a box' not in board.reader.pieces
    assert 'box' in board.reader.pieces


def test_a_move_leads_from_square_to_square() -> None:
    board = open_board('checkers')
    board.reader.read(board.engine.initial_state)
    ((start, target),) = board.reader.path({'black': '(move 3 2 northeast)'})
    assert board.reader.name(start) == 'b3'
    assert board.reader.name(target) == 'c4'


def test_a_game_without_a_board_is_refused() -> None:
    game = open_game('goofspiel')
    with pytest.raises(BoardError, match='goofspiel has no board'):
        PositionReader(game).read(['(hand first 3)'])


def test_an_unknown_square_is_named() -> None:
    board = open_board('tictactoe')
    board.reader.read(board.engine.initial_state)
    with pytest.raises(BoardError, match="no square is called 'e9'; squares: row_1_column_1"):
        board.reader.place('e9')
    assert board.reader.place('row_2_column_2') == Place('cell', 1, 1)
