"""Gomoku, against lines counted in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from walk import term

from gdl_env.engine.contract import Engine, State
from gdl_env.engine.perft import perft
from gdl_env.language.terms import args_of, name_of

pytestmark = pytest.mark.prolog

STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))


def longest_lines(state: State, player: str) -> set[int]:
    """Return the lengths of all lines of a player that cannot be made longer."""
    own = {
        (int(str(row)), int(str(column)))
        for row, column, owner in (args_of(fact) for fact in state if name_of(fact) == 'cell')
        if str(owner) == player
    }
    lengths = set()
    for row, column in own:
        for down, right in STEPS:
            if (row - down, column - right) in own:
                continue
            length = 1
            while (row + length * down, column + length * right) in own:
                length += 1
            lengths.add(length)
    return lengths


@pytest.mark.parametrize('game', ['gomoku(size=8)', 'gomoku(size=8,exact=true)'])
def test_matches_end_with_the_first_line(open_game: Callable[[str], Engine], game: str) -> None:
    engine = open_game(game)
    seen: set[int] = set()
    for seed in range(25):
        random = Random(seed)
        state = engine.initial_state
        winner = ''
        while not engine.is_terminal(state):
            assert not winner
            (role,) = engine.actors(state)
            state = engine.next_state(
                state, {role: random.choice(engine.legal_moves(state)[role])}
            )
            lines = longest_lines(state, str(role))
            seen |= lines
            if 5 in lines or ('exact' not in game and max(lines) > 5):
                winner = str(role)
        stones = sum(name_of(fact) == 'cell' for fact in state)
        assert winner or stones == 64
        expected = {winner: 100} if winner else {'black': 50, 'white': 50}
        for role, goal in engine.goals(state).items():
            assert goal == expected.get(str(role), 0)
    assert 5 in seen


@pytest.mark.parametrize(('game', 'is_won'), [('gomoku', True), ('gomoku(exact=true)', False)])
@pytest.mark.parametrize('step', STEPS)
@pytest.mark.parametrize('start', [(1, 6), (6, 10)])
def test_six_in_a_row(
    open_game: Callable[[str], Engine],
    game: str,
    is_won: bool,
    step: tuple[int, int],
    start: tuple[int, int],
) -> None:
    engine = open_game(game)
    cells = [(start[0] + n * step[0], start[1] + n * step[1]) for n in range(6)]
    facts = [term(f'(cell {row} {column} black)') for row, column in cells]
    six = frozenset([*facts, term('(control white)')])
    assert engine.is_terminal(six) == is_won
    assert engine.is_terminal(six - {facts[0]})
    assert engine.is_terminal(six - {facts[5]})
    assert not engine.is_terminal(six - {facts[3]})


def test_first_moves(open_game: Callable[[str], Engine]) -> None:
    assert list(perft(open_game('gomoku'), 2)) == [225, 225 * 224]
