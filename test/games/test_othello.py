"""Othello is the game that open_spiel has; other sizes against plain Python."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from spiel_twin import compare_matches, load_spiel, square
from walk import term

from gdl_env.engine.contract import Engine, Move, Role, State
from gdl_env.engine.perft import perft
from gdl_env.language.terms import args_of, name_of

pytestmark = pytest.mark.prolog

STEPS = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]


def spell(_: State, role: Role, move: Move) -> str:
    if str(move) == 'pass':
        return 'pass'
    row, column = (int(str(arg)) for arg in args_of(move))
    return square(row, column)


def test_matches_of_open_spiel(open_game: Callable[[str], Engine]) -> None:
    assert compare_matches(open_game('othello'), load_spiel('othello'), spell, 12) > 600


def test_numbers_of_sequences(open_game: Callable[[str], Engine]) -> None:
    # As published by Paul Byrne and others, up to depth 11 and beyond.
    assert list(perft(open_game('othello'), 6)) == [4, 12, 56, 244, 1_396, 8_200]


def turned(board: dict[tuple[int, int], str], cell: tuple[int, int], own: str) -> set[object]:
    """Return the discs that a new one turns."""
    found: set[object] = set()
    for down, right in STEPS:
        line, (row, column) = [], cell
        while board.get((row := row + down, column := column + right), own) != own:
            line.append((row, column))
        if (row, column) in board:
            found.update(line)
    return found


@pytest.mark.parametrize('size', [4, 6, 10])
def test_other_sizes(open_game: Callable[[str], Engine], size: int) -> None:
    engine = open_game(f'othello(size={size})')
    cells = [(r, c) for r in range(1, size + 1) for c in range(1, size + 1)]
    random = Random(size)
    state = engine.initial_state
    while not engine.is_terminal(state):
        board = {
            (int(str(r)), int(str(c))): str(who)
            for r, c, who in (args_of(fact) for fact in state if name_of(fact) == 'cell')
        }
        (role,) = engine.actors(state)
        free = [cell for cell in cells if cell not in board]
        expected = {f'(place {r} {c})' for r, c in free if turned(board, (r, c), str(role))}
        moves = engine.legal_moves(state)[role]
        assert set(map(str, moves)) == (expected or {'pass'})
        move = random.choice(moves)
        before = len(board)
        state = engine.next_state(state, {role: move})
        if str(move) != 'pass':
            placed = tuple(int(str(arg)) for arg in args_of(move))
            mine = {placed, *turned(board, placed, str(role))}  # type: ignore[arg-type]
            assert all(term(f'(cell {r} {c} {role})') in state for r, c in mine)  # type: ignore
            assert sum(name_of(fact) == 'cell' for fact in state) == before + 1
    assert sum(goal or 0 for goal in engine.goals(state).values()) == 100
