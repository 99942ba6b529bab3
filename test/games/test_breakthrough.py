"""Breakthrough is the game that open_spiel has."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from spiel_twin import compare_matches, load_spiel, perft_spiel, square

from gdl_env.engine.contract import Engine, Move, Role, State
from gdl_env.engine.perft import perft
from gdl_env.language.terms import args_of

pytestmark = pytest.mark.prolog

ASIDE = {'left': -1, 'straight': 0, 'right': 1}


def spell(size: int) -> Callable[[State, Role, Move], str]:
    """Return how open_spiel writes moves; there, the first player comes from the last rows."""

    def spelled(_: State, role: Role, move: Move) -> str:
        row, column, direction = (str(arg) for arg in args_of(move))
        to = int(row) + (1 if str(role) == 'white' else -1)
        before = square(size + 1 - int(row), int(column))
        return before + square(size + 1 - to, int(column) + ASIDE[direction])

    return spelled


@pytest.mark.parametrize(('size', 'matches'), [(8, 12), (6, 8)])
def test_matches_of_open_spiel(
    open_game: Callable[[str], Engine], size: int, matches: int
) -> None:
    spiel = load_spiel(f'breakthrough(rows={size},columns={size})')
    assert compare_matches(open_game(f'breakthrough(size={size})'), spiel, spell(size), matches)


def test_numbers_of_sequences(open_game: Callable[[str], Engine]) -> None:
    spiel = load_spiel('breakthrough').new_initial_state()
    assert list(perft(open_game('breakthrough'), 3)) == [22, 484, 11_132]
    assert perft_spiel(spiel, 3) == 11_132
