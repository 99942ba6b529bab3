"""Boards are found where there are some, and only there."""

from __future__ import annotations

import numpy as np

from gdl_env.engine.mapping.orders import Orders
from gdl_env.engine.mapping.planes import find_planes
from gdl_env.language.load import game_from_text
from gdl_env.language.reader import read_term

GAME = game_from_text("""
(role r) (legal r m) terminal (goal r 0) (init f)
(after a b) (after b c) (after c d)
(beats rock paper) (beats paper scissors) (beats scissors rock)
(before day night)
""")


def planes_of(*facts: str):
    return find_planes([read_term(fact) for fact in facts], Orders(GAME))


def test_numbers_and_a_table_of_successors_are_coordinates():
    facts = [f'(cell {x} {y} {c})' for x in 'cab' for y in (2, 1) for c in 'xo']
    planes = planes_of(*facts, 'night')
    assert planes.shape == (2, 3, 2)
    assert [str(row) for row in planes.rows] == ['a', 'b', 'c']
    assert planes.channels == ('(cell ?row ?column x)', '(cell ?row ?column o)')
    assert list(planes.table[0]) == [0, 2, 1]
    assert list(planes.remainder) == [12]


def test_what_is_no_order_is_no_coordinate():
    names = ('rock', 'paper', 'scissors')
    assert planes_of(*(f'(hand {a} {b})' for a in names for b in names)) is None
    times = ('day', 'night')
    assert planes_of(*(f'(at {a} {b})' for a in times for b in times)) is None
    assert planes_of('(control x)', '(step 1)', '(step 2)') is None


def test_a_few_pairs_are_no_board():
    assert planes_of(*(f'(stage {n} {n})' for n in range(1, 9))) is None


def test_other_relations_go_onto_the_board_if_they_fit():
    cells = [f'(cell {x} {y} b)' for x in (1, 2, 3) for y in (1, 2, 3)]
    holes = ['(hole 1 1)', '(hole 1 2)', '(hole 2 1)', '(hole 2 2)']
    heights = [f'(height {x} {n})' for x in (1, 2, 3) for n in (0, 1)]
    planes = planes_of(*cells, *holes, *heights)
    assert planes.shape == (2, 3, 3)
    assert list(planes.remainder) == list(range(13, 19))
    board, rest = planes.split(np.eye(19, dtype=np.uint8)[9])
    assert board[1, 0, 0] == 1 and board.sum() == 1 and rest.sum() == 0


def test_numbers_may_be_contents():
    facts = [f'(cell {x} {y} {n})' for x in (1, 2) for y in (1, 2) for n in (0, 1, 2)]
    assert planes_of(*facts).shape == (3, 2, 2)
