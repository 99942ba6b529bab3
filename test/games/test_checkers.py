"""Checkers is the game that open_spiel has."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from spiel_twin import compare_matches, load_spiel, perft_spiel, square

from gdl_env.engine.contract import Engine, Move, Role, State
from gdl_env.engine.perft import perft
from gdl_env.language.parser import parse_term
from gdl_env.language.terms import args_of, name_of

pytestmark = pytest.mark.prolog


def spell(_: State, role: Role, move: Move) -> str:
    length = 2 if name_of(move) == 'jump' else 1
    row, column, direction = (str(arg) for arg in args_of(move))
    down = length if direction.startswith('north') else -length
    right = length if direction.endswith('east') else -length
    return square(int(row), int(column)) + square(int(row) + down, int(column) + right)


def test_matches_of_open_spiel(open_game: Callable[[str], Engine]) -> None:
    # Some are drawn, most have jumps of several parts.
    assert compare_matches(open_game('checkers'), load_spiel('checkers'), spell, 20) > 1_000


def test_numbers_of_sequences(open_game: Callable[[str], Engine]) -> None:
    engine = open_game('checkers')
    spiel = load_spiel('checkers').new_initial_state()
    # A jump of several parts is as many moves.
    assert list(perft(engine, 5)) == [7, 49, 302, 1_469, 7_361]
    assert perft_spiel(spiel, 5) == 7_361


def position(*facts: str) -> State:
    return frozenset(parse_term(fact) for fact in facts)


@pytest.mark.parametrize(
    ('facts', 'legal'),
    [
        # A man keeps jumping, in any direction ahead, and no other piece may.
        (
            (
                *('(cell 3 3 black_man)', '(cell 4 4 white_man)', '(cell 6 6 white_king)'),
                *('(cell 3 7 black_man)', '(cell 4 6 white_man)'),
            ),
            ['(jump 3 3 northeast)', '(jump 3 7 northwest)'],
        ),
        # While it jumps, it is the only one.
        (
            (
                *('(cell 5 5 black_man)', '(cell 6 6 white_king)', '(jumping 5 5)'),
                *('(cell 3 7 black_man)', '(cell 4 6 white_man)'),
            ),
            ['(jump 5 5 northeast)'],
        ),
        # A man does not jump back, a king does.
        (('(cell 5 5 black_man)', '(cell 4 4 white_man)', '(cell 6 4 white_man)'), None),
        (
            ('(cell 5 5 black_king)', '(cell 4 4 white_man)', '(cell 8 8 white_man)'),
            ['(jump 5 5 southwest)'],
        ),
    ],
)
def test_positions(
    open_game: Callable[[str], Engine], facts: tuple[str, ...], legal: list[str] | None
) -> None:
    engine = open_game('checkers')
    state = position('(control black)', '(quiet 3)', *facts)
    moves = {str(m) for moves in engine.legal_moves(state).values() for m in moves}
    assert moves == set(legal or ['(jump 5 5 northwest)'])


def test_new_king_does_not_go_on(open_game: Callable[[str], Engine]) -> None:
    engine = open_game('checkers')
    black = engine.roles[0]
    state = position(
        *('(control black)', '(quiet 3)', '(cell 6 4 black_man)', '(cell 7 5 white_man)'),
        '(cell 7 7 white_man)',
    )
    after = engine.next_state(state, {black: parse_term('(jump 6 4 northeast)')})
    assert after == position(
        '(control white)', '(quiet 0)', '(cell 8 6 black_king)', '(cell 7 7 white_man)'
    )


def test_draw_after_as_many_quiet_moves_as_the_option_says(
    open_game: Callable[[str], Engine],
) -> None:
    engine = open_game('checkers(quiet=12)')
    black, white = engine.roles
    for moves, is_over in ((11, False), (12, True)):
        state = position(
            *('(control black)', f'(quiet {moves})', '(cell 1 1 black_king)'),
            '(cell 8 8 white_king)',
        )
        assert engine.is_terminal(state) == is_over
    assert engine.goals(state) == {black: 50, white: 50}
