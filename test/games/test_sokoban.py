"""Sokoban: levels and their shortest solutions, and what levels may hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from walk import term

from gdl_env.engine.contract import Engine, State
from gdl_env.engine.registry import open_engine
from gdl_env.language.load import load_game
from gdl_env.language.terms import args_of, name_of

pytestmark = pytest.mark.prolog

GAMES = Path(__file__).parents[2] / 'games'
WORDS = {'n': 'north', 's': 'south', 'e': 'east', 'w': 'west', '-': 'stay'}

# The shortest ones, found by a search in plain Python that knows nothing of this project.
SOLUTIONS = {
    'warehouse': 'esswsennneessw',
    'causeway': 'nneeswseeesswwnwneeeeee',
    'together': 'esenssewesesnnessssss-wnsnsswwww',
}


def play(engine: Engine, letters: str) -> State:
    """Play moves one after the other, each by the player whose turn it is."""
    state = engine.initial_state
    for letter in letters:
        assert not engine.is_terminal(state)
        (role,) = engine.actors(state)
        move = term(WORDS[letter])
        assert move in engine.legal_moves(state)[role]
        state = engine.next_state(state, {role: move})
    return state


def picture(state: State) -> list[str]:
    """Return a state as a level."""
    signs = {'wall': '#', 'floor': '-', 'store': '.', 'exit': 'e', 'hole': 'h', 'box': '$'}
    signs |= {'first': '1', 'second': '2', 'third': '3', 'fourth': '4'}
    cells = {
        (int(str(row)), int(str(column))): signs[str(content)]
        for row, column, content in (args_of(f) for f in state if name_of(f) == 'cell')
    }
    rows = range(1, max(row for row, _ in cells) + 1)
    columns = range(1, max(column for _, column in cells) + 1)
    return [''.join(cells.get((r, c), ' ') for c in columns) for r in rows]


@pytest.mark.parametrize('level', SOLUTIONS)
def test_level_is_solved_by_its_solution_and_not_before(
    open_game: Callable[[str], Engine], level: str
) -> None:
    engine = open_game(f'sokoban(level={level})')
    state = play(engine, SOLUTIONS[level])
    assert engine.is_terminal(state)
    assert set(engine.goals(state).values()) == {100}


def test_every_level_has_a_solution() -> None:
    assert {path.stem for path in (GAMES / 'levels').glob('*.txt')} == set(SOLUTIONS)


@pytest.fixture
def open_level(tmp_path: Path) -> Callable[..., Engine]:
    def opened(*lines: str, steps: int = 100) -> Engine:
        path = tmp_path / 'level.txt'
        path.write_text('\n'.join(lines))
        options = {'level': str(path), 'steps': str(steps)}
        return open_engine(load_game(GAMES / 'sokoban.gdl', options), 'prolog')

    return opened


def test_characters(open_level: Callable[..., Engine]) -> None:
    with open_level('#wwwww', '#+$*b#', '#.eh-#', '######') as engine:
        assert [str(role) for role in engine.roles] == ['first']
        assert picture(engine.initial_state) == ['######', '#1$$$#', '#.eh-#', '######']
        assert engine.legal_moves(engine.initial_state)[engine.roles[0]] == (term('south'),)
        after = play(engine, 's')
        # Stores are under the player and under one of the boxes; exits are not for boxes.
        assert picture(after) == ['######', '#.$$$#', '#1eh-#', '######']


def test_boxes_fill_holes_and_nothing_passes_a_hole_before(
    open_level: Callable[..., Engine],
) -> None:
    with open_level('#######', '#@$he.#', '#######') as engine:
        state = play(engine, 'e')
        assert picture(state) == ['#######', '#-1-e.#', '#######']
        assert picture(play(engine, 'ee')) == ['#######', '#--1e.#', '#######']
    with open_level('#####', '#@he#', '#####') as engine:
        assert engine.is_terminal(engine.initial_state)
        assert set(engine.goals(engine.initial_state).values()) == {0}


@pytest.mark.parametrize('row', ['#@$$-.#', '#@$#-.#', '#@$e-.#', '#@#$-.#'])
def test_what_cannot_be_pushed(open_level: Callable[..., Engine], row: str) -> None:
    with open_level('#' * 7, row, '#-----#', '#' * 7) as engine:
        moves = engine.legal_moves(engine.initial_state)[engine.roles[0]]
        assert [str(move) for move in moves] == ['south']


def test_players_take_turns_and_do_not_pass_through_each_other(
    open_level: Callable[..., Engine],
) -> None:
    with open_level('########', '#12-$-.#', '#3-4---#', '########', steps=10) as engine:
        assert [str(role) for role in engine.roles] == ['first', 'second', 'third', 'fourth']
        state = engine.initial_state
        for role, moves in zip(engine.roles, ['stay', 'east south stay', 'east', ''], strict=True):
            assert engine.actors(state) == (role,)
            legal = {str(move) for move in engine.legal_moves(state)[role]}
            assert legal >= set(moves.split()) - {''}
            assert str(role) != 'first' or legal == {'stay'}
            state = engine.next_state(state, {role: term('stay')})
        assert engine.actors(state) == engine.roles[:1]
        end = play(engine, '----------')
        assert engine.is_terminal(end)
        assert set(engine.goals(end).values()) == {0}
