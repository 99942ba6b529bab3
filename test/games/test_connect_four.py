"""Facts about Connect Four."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import sqrt

import pytest
from walk import term

from gdl_env.engine.contract import Engine
from gdl_env.engine.perft import perft

pytestmark = pytest.mark.prolog

# Shares of wins of the first player, draws, and wins of the second, in 10^8 games of random moves
# (Groove study of van Assen, 2021, citing another count).
REFERENCE = {100: 0.5558, 50: 0.0026, 0: 0.4417}


@pytest.fixture
def engine(open_game: Callable[[str], Engine]) -> Engine:
    return open_game('connect_four')


def play(engine: Engine, columns: str) -> frozenset:
    state = engine.initial_state
    for turn, column in enumerate(columns):
        assert not engine.is_terminal(state)
        role = term(('red', 'yellow')[turn % 2])
        assert term(f'(drop {column})') in engine.legal_moves(state)[role]
        state = engine.next_state(state, {role: term(f'(drop {column})')})
    return state


def test_number_of_move_sequences(engine: Engine) -> None:
    assert list(perft(engine, 7)) == [7, 49, 343, 2401, 16807, 117649, 823536]


@pytest.mark.parametrize(
    'columns',
    ['1213141', '1122334', '12233434474', '76655454414'],
    ids=['column', 'row', 'rising', 'falling'],
)
def test_four_in_line_win(engine: Engine, columns: str) -> None:
    state = play(engine, columns)
    assert engine.is_terminal(state)
    assert engine.goals(state) == {term('red'): 100, term('yellow'): 0}


def test_full_column_takes_no_disc(engine: Engine) -> None:
    state = play(engine, '111111')
    legal = engine.legal_moves(state)[term('red')]
    assert [str(move) for move in legal] == [f'(drop {column})' for column in range(2, 8)]


def test_line_does_not_wrap_around_the_edge(engine: Engine) -> None:
    assert not engine.is_terminal(play(engine, '5161727'))


def test_shares_of_random_games(engine: Engine) -> None:
    count = 10_000
    playouts = engine.playouts(count, seed=4, max_steps=42)
    found = Counter(playout.goals[term('red')] for playout in playouts)
    assert found.total() == count
    for goal, share in REFERENCE.items():
        error = sqrt(share * (1 - share) / count)
        assert abs(found[goal] / count - share) < 3 * error, (goal, found)
