"""Facts about Pig."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from walk import term

from gdl_env.engine.contract import Engine, Outcome

pytestmark = pytest.mark.prolog

ALICE, BOB = term('alice'), term('bob')
ROLL, HOLD = term('(roll dice)'), term('hold')


@pytest.fixture
def engine(open_game: Callable[[str], Engine]) -> Engine:
    return open_game('pig')


def state(*facts: str) -> frozenset:
    return frozenset(map(term, facts))


def test_die_is_fair(engine: Engine) -> None:
    outcomes = engine.outcomes(engine.initial_state, ROLL)
    assert set(outcomes) == {Outcome(term(f'(roll {n})'), Fraction(1, 6)) for n in range(1, 7)}


def test_turn_begins_with_a_roll(engine: Engine) -> None:
    assert engine.legal_moves(engine.initial_state) == {ALICE: (ROLL,), BOB: ()}


def test_points_go_into_the_pot(engine: Engine) -> None:
    after = engine.next_state(engine.initial_state, {ALICE: term('(roll 5)')})
    assert after == state(
        '(control alice)', '(pot 5)', '(score alice 0)', '(score bob 0)', '(turn 1)'
    )
    assert set(engine.legal_moves(after)[ALICE]) == {ROLL, HOLD}


def test_one_loses_the_points_of_the_turn(engine: Engine) -> None:
    before = state('(control alice)', '(pot 30)', '(score alice 40)', '(score bob 9)', '(turn 7)')
    after = engine.next_state(before, {ALICE: term('(roll 1)')})
    assert after == state(
        '(control bob)', '(pot 0)', '(score alice 40)', '(score bob 9)', '(turn 8)'
    )


def test_hold_adds_the_pot_to_the_score(engine: Engine) -> None:
    before = state('(control bob)', '(pot 30)', '(score alice 40)', '(score bob 9)', '(turn 8)')
    after = engine.next_state(before, {BOB: HOLD})
    assert after == state(
        '(control alice)', '(pot 0)', '(score alice 40)', '(score bob 39)', '(turn 9)'
    )


@pytest.mark.parametrize(('pot', 'is_over'), [(18, False), (19, True), (24, True)])
def test_hundred_points_win(engine: Engine, pot: int, is_over: bool) -> None:
    now = state('(control bob)', f'(pot {pot})', '(score alice 99)', '(score bob 81)', '(turn 8)')
    assert engine.is_terminal(now) == is_over
    assert engine.goals(now) == ({ALICE: 0, BOB: 100} if is_over else {ALICE: 50, BOB: 50})


def test_game_without_a_winner_ends_after_200_turns(engine: Engine) -> None:
    before = state('(control bob)', '(pot 2)', '(score alice 0)', '(score bob 0)', '(turn 200)')
    assert not engine.is_terminal(before)
    after = engine.next_state(before, {BOB: HOLD})
    assert engine.is_terminal(after)
    assert engine.goals(after) == {ALICE: 50, BOB: 50}
