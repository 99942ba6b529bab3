"""Hex, against a search for chains in plain Python, and against open_spiel."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from spiel_twin import compare_matches, load_spiel, square

from gdl_env.engine.contract import Engine, Move, Role, State
from gdl_env.engine.interpreter import Interpreter
from gdl_env.engine.perft import perft
from gdl_env.language.terms import args_of, name_of

pytestmark = pytest.mark.prolog

SIZE = 9
NEIGHBOURS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1))


@pytest.fixture(scope='module')
def hex_game(open_game: Callable[[str], Engine]) -> Engine:
    return open_game('hex')


def stones(state: State, player: str) -> set[tuple[int, int]]:
    return {
        (int(str(row)), int(str(column)))
        for row, column, owner in (args_of(f) for f in state if name_of(f) == 'cell')
        if str(owner) == player
    }


def is_connected(state: State, player: str) -> bool:
    """Search from the first side of a player for the last one."""
    side = 0 if player == 'red' else 1
    own = stones(state, player)
    reached = {cell for cell in own if cell[side] == 1}
    work = list(reached)
    while work:
        row, column = work.pop()
        for down, right in NEIGHBOURS:
            cell = row + down, column + right
            if cell in own and cell not in reached:
                reached.add(cell)
                work.append(cell)
    return any(cell[side] == SIZE for cell in reached)


def test_first_moves(hex_game: Engine) -> None:
    assert list(perft(hex_game, 2)) == [81, 81 * 80]


@pytest.mark.parametrize('seed', range(12))
def test_winner_has_a_chain(hex_game: Engine, seed: int) -> None:
    random = Random(seed)
    match = Interpreter(hex_game, seed)
    while actors := match.actors():
        assert not is_connected(match.state, 'red') and not is_connected(match.state, 'blue')
        (role,) = actors
        match.step({role: random.choice(match.legal_moves(role))})
    assert len(match.history) >= 2 * SIZE - 1
    for role, goal in match.goals().items():
        assert goal == (100 if is_connected(match.state, str(role)) else 0)
    assert sorted(g for g in match.goals().values() if g is not None) == [0, 100]


def spell(_: State, role: Role, move: Move) -> str:
    row, column = (int(str(arg)) for arg in args_of(move))
    return square(row, column)


@pytest.mark.parametrize(('size', 'matches'), [(3, 20), (6, 10), (11, 3)])
def test_matches_of_open_spiel(
    open_game: Callable[[str], Engine], size: int, matches: int
) -> None:
    spiel = load_spiel(f'hex(num_cols={size},num_rows={size})')
    assert compare_matches(open_game(f'hex(size={size})'), spiel, spell, matches)
