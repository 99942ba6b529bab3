"""Facts about Krieg Tic-tac-toe."""

from __future__ import annotations

from collections.abc import Callable

from playthrough import play
import pytest
from walk import term

from gdl_env.engine.contract import Engine
from gdl_env.engine.interpreter import Interpreter, View

pytestmark = pytest.mark.prolog

X, O = term('x'), term('o')  # noqa: E741 - the names of the players


@pytest.fixture
def engine(open_game: Callable[[str], Engine]) -> Engine:
    return open_game('krieg_tictactoe')


def test_mark_of_the_other_is_not_seen(engine: Engine) -> None:
    match = Interpreter(engine)
    match.step({X: term('(mark 2 2)')})
    assert match.view(O).facts == {term('(control o)')}
    assert term('(mark 2 2)') in match.legal_moves(O)


def test_try_on_a_taken_cell_is_told_to_its_player_only(engine: Engine) -> None:
    match = Interpreter(engine)
    seen_by_x: list[View] = []
    match.observe(X, seen_by_x.append)
    match.step({X: term('(mark 2 2)')})
    before = len(seen_by_x)
    match.step({O: term('(mark 2 2)')})
    assert match.view(O).facts == {term('(control o)'), term('(sees o (cell 2 2 x))')}
    assert len(seen_by_x) == before
    assert match.actors() == (O,)
    assert term('(mark 2 2)') not in match.legal_moves(O)
    match.step({O: term('(mark 1 1)')})
    assert match.actors() == (X,)


@pytest.mark.parametrize('seed', range(10))
def test_marks_are_known_only_by_owner_and_discoverer(engine: Engine, seed: int) -> None:
    tried = {X: set(), O: set()}
    owner = {}
    for step in play(engine, seed).history:
        ((role, move),) = step.played.items()
        cell = str(move).removeprefix('(mark ').removesuffix(')')
        owner.setdefault(cell, role)
        tried[role].add(cell)
        for player in (X, O):
            marks = {term(f'(sees {player} (cell {c} {owner[c]}))') for c in tried[player]}
            control = {fact for fact in step.state if str(fact).startswith('(control ')}
            assert engine.view(step.state, player) == marks | control
