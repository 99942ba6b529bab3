"""Facts about the Monty Hall problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

import pytest
from walk import expected_goal, term, uniform

from gdl_env.engine.contract import Engine, Move, State
from gdl_env.engine.interpreter import Interpreter

pytestmark = pytest.mark.prolog

CANDIDATE = term('candidate')


@pytest.fixture
def engine(open_game: Callable[[str], Engine]) -> Engine:
    return open_game('monty_hall')


@pytest.mark.parametrize(
    ('decision', 'chance'), [('switch', Fraction(2, 3)), ('keep', Fraction(1, 3))]
)
def test_chance_to_win(engine: Engine, decision: str, chance: Fraction) -> None:
    def policy(state: State, moves: tuple[Move, ...]) -> Mapping[Move, Fraction]:
        return {term(decision): Fraction(1)} if term(decision) in moves else uniform(state, moves)

    value = expected_goal(engine, engine.initial_state, CANDIDATE, policy)
    assert value == 100 * chance


@pytest.mark.parametrize('seed', range(10))
def test_car_is_hidden_until_the_end(engine: Engine, seed: int) -> None:
    match = Interpreter(engine, seed)
    while not match.is_terminal:
        assert not any('car' in str(fact) for fact in match.view(CANDIDATE).facts)
        match.step({CANDIDATE: match.legal_moves(CANDIDATE)[0]})
    assert any(str(fact).startswith('(car ') for fact in match.view(CANDIDATE).facts)


def test_candidate_sees_no_trace_of_the_hiding(engine: Engine) -> None:
    views = {Interpreter(engine, seed).view(CANDIDATE).facts for seed in range(10)}
    assert views == {frozenset({term('(phase choosing)')})}


@pytest.mark.parametrize('seed', range(10))
def test_host_opens_neither_the_chosen_door_nor_the_one_with_the_car(
    engine: Engine, seed: int
) -> None:
    match = Interpreter(engine, seed)
    match.step({CANDIDATE: term('(choose 2)')})
    (opened,) = (str(fact)[-2] for fact in match.state if str(fact).startswith('(opened '))
    assert opened != '2'
    assert term(f'(sees random (car {opened}))') not in match.state
