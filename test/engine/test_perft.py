"""Numbers of move sequences."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl_env.engine.perft import divide, perft
from gdl_env.engine.registry import open_engine
from gdl_env.language.load import game_from_text, load_game

pytestmark = pytest.mark.prolog
GAMES = Path(__file__).resolve().parents[2] / 'games'

# Known numbers: 9 · 8 · 7 …, less what ends before the board is full.
TICTACTOE = [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]

WIDE = """
(move a) (move b) (move c) (move d) (move e) (move f) (move g) (move h) (move i) (move j)
(init open)
(<= (legal ?r (m ?a ?b ?c))
    (role ?r) (move ?a) (move ?b) (move ?c))
(<= (next closed)
    (true open))
(<= terminal
    (true closed))
(<= (goal ?r 50)
    (role ?r))
"""

STUCK = """
(role a) (init (at 1))
(<= (legal a stay) (true (at 1)))
(<= (next (at 2)) (does a stay))
(<= terminal (true (at 3)))
(goal a 0)
"""

DICE = """
(role a) (role b) (init start)
(random coin 1 heads) (random coin 2 tails) (random coin 0 edge)
(<= (legal a (flip coin)) (true start))
(<= (legal b (flip coin)) (true start))
(<= (legal b pass) (true start))
(<= (next (got ?r ?side)) (does ?r (flip ?side)))
(<= terminal (not (true start)))
(<= (goal ?r 0) (role ?r))
"""


def numbers(text: str, depth: int) -> list[int]:
    with open_engine(game_from_text(text)) as engine:
        return list(perft(engine, depth))


def test_tictactoe_to_the_end():
    with open_engine(load_game(GAMES / 'tictactoe.gdl')) as engine:
        assert list(perft(engine, 10)) == [*TICTACTOE, 0]


@pytest.mark.parametrize(
    ('game', 'expected'),
    [
        # A roll has six outcomes; a roll of 1 hands the dice on.
        ('pig', [6, 41, 276]),
        # Serial turns: chance alone first, then each role that can act.
        ('monty_hall', [3, 9, 12, 24]),
        # Nine choices each, and two sides of a coin.
        ('simultaneous_krieg_tictactoe', [162, 20736]),
        ('rock_paper_scissors', [6, 18, 108]),
    ],
)
def test_our_games(game: str, expected: list[int]):
    with open_engine(load_game(GAMES / f'{game}.gdl')) as engine:
        assert list(perft(engine, len(expected))) == expected


def test_the_product_of_many_moves_is_not_built():
    roles = ''.join(f'(role r{i})' for i in range(6))
    assert numbers(roles + WIDE, 1) == [1000**6]


def test_a_state_without_moves_ends_its_sequences():
    assert numbers(STUCK, 3) == [1, 0, 0]


def test_outcomes_of_weight_zero_are_no_moves():
    assert numbers(DICE, 2) == [2 * 3, 0]


def test_divide_adds_up():
    with open_engine(load_game(GAMES / 'tictactoe.gdl')) as engine:
        rows = list(divide(engine, 4))
        assert len(rows) == 9
        assert sum(count for _, count in rows) == TICTACTOE[3]
        assert [count for _, count in divide(engine, 1)] == [1] * 9


def test_on_state_may_stop_the_count():
    calls = 0

    def stop() -> None:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise TimeoutError

    with open_engine(load_game(GAMES / 'tictactoe.gdl')) as engine:
        running = perft(engine, 3, on_state=stop)
        assert next(running) == 9
        with pytest.raises(TimeoutError):
            next(running)
