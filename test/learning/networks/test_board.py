"""Boards inside of networks are those of the game."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip('torch', reason="pip install '.[learn]'")

import torch

from gdl_agents.learning.networks.board import BoardLayer
from gdl_env.engine.mapping import Encoding, open_encoding
from gdl_env.language.library import find_game
from gdl_env.language.load import load_game
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Symbol

pytestmark = pytest.mark.torch


def mapping_of(name: str) -> Encoding:
    return open_encoding(load_game(find_game(name)))


def lay_out(mapping: Encoding, role: str, *facts: str):
    view = frozenset(map(read_term, facts))
    seen = torch.from_numpy(mapping.observe(view, Symbol(role))).float().unsqueeze(0)
    board, beside = BoardLayer(mapping.planes())(seen)
    return board[0], beside[0]


def test_tictactoe_by_hand():
    cells = ['(cell 1 1 x)', '(cell 1 3 o)', '(cell 3 2 x)']
    empty = [f'(cell {row} {column} b)' for row, column in ((1, 2), (2, 1), (2, 2), (2, 3))]
    board, beside = lay_out(mapping_of('tictactoe'), 'x', *cells, *empty, '(control o)')
    x = [[1, 0, 0], [0, 0, 0], [0, 1, 0]]
    o = [[0, 0, 1], [0, 0, 0], [0, 0, 0]]
    b = [[0, 1, 0], [1, 1, 1], [0, 0, 0]]
    everywhere = [[1, 1, 1]] * 3
    assert board.tolist() == [x, o, b, everywhere]
    assert beside.tolist() == [0, 1]


def test_connect_four_by_hand():
    mapping = mapping_of('connect_four')
    discs = ['(disc 1 1 red)', '(disc 1 2 yellow)', '(disc 7 6 red)']
    board, beside = lay_out(mapping, 'red', *discs)
    assert mapping.planes().channels == ('(disc ?row ?column red)', '(disc ?row ?column yellow)')
    expected = torch.zeros(3, 7, 6)
    expected[2] = 1
    expected[0, 0, 0] = expected[1, 0, 1] = expected[0, 6, 5] = 1
    assert torch.equal(board, expected)
    assert beside.shape == (51,) and beside.sum() == 0


@pytest.mark.parametrize('name', ['tictactoe', 'connect_four', 'hex', 'krieg_tictactoe'])
def test_boards_are_laid_out_as_the_mapping_does(name):
    mapping = mapping_of(name)
    seen = np.random.default_rng(1).integers(0, 2, (4, mapping.observation_size), np.uint8)
    board, beside = BoardLayer(mapping.planes())(torch.from_numpy(seen).float())
    expected_board, expected_beside = mapping.planes().split(seen)
    assert np.array_equal(board.numpy()[:, :-1], expected_board)
    assert (board[:, -1] == 1).all()
    assert np.array_equal(beside.numpy(), expected_beside)
