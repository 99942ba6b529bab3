"""Facts about tic-tac-toe."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from walk import term

from gdl_env.engine.contract import Engine, Move
from gdl_env.engine.perft import perft

pytestmark = pytest.mark.prolog


CELLS = [f'{row}{column}' for row in '123' for column in '123']
ROWS, COLUMNS = (CELLS[:3], CELLS[3:6], CELLS[6:]), (CELLS[::3], CELLS[1::3], CELLS[2::3])
LINES = [' '.join(line) for line in (*ROWS, *COLUMNS, CELLS[::4], CELLS[2:7:2])]


def mark(cell: str) -> Move:
    return term(f'(mark {cell[0]} {cell[1]})')


@pytest.fixture
def engine(open_game: Callable[[str], Engine]) -> Engine:
    return open_game('tictactoe')


def test_x_begins_with_nine_moves(engine: Engine) -> None:
    legal = engine.legal_moves(engine.initial_state)
    assert len(legal[term('x')]) == 9
    assert legal[term('o')] == ()


def test_number_of_move_sequences(engine: Engine) -> None:
    known = [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    assert list(perft(engine, 9)) == known


@pytest.mark.parametrize('line', LINES)
def test_line_wins(engine: Engine, line: str) -> None:
    empty = iter(cell for cell in CELLS if cell not in line.split())
    state = engine.initial_state
    for cell in line.split():
        assert not engine.is_terminal(state)
        state = engine.next_state(state, {term('x'): mark(cell)})
        if not engine.is_terminal(state):
            state = engine.next_state(state, {term('o'): mark(next(empty))})
    assert engine.is_terminal(state)
    assert engine.goals(state) == {term('x'): 100, term('o'): 0}
