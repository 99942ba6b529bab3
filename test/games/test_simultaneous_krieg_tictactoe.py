"""Facts about Simultaneous Krieg Tic-tac-toe, above all that neither player is favoured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import sqrt

from playthrough import play
import pytest
from walk import term

from gdl_env.engine.contract import NATURE, Engine, Moves, State
from gdl_env.engine.interpreter import Interpreter
from gdl_env.language.parser import parse
from gdl_env.language.source import Source
from gdl_env.language.terms import Compound, Symbol, Term

pytestmark = pytest.mark.prolog

X, O = term('x'), term('o')  # noqa: E741 - the names of the players


@pytest.fixture
def engine(open_game: Callable[[str], Engine]) -> Engine:
    return open_game('simultaneous_krieg_tictactoe')


def mirrored(value: Term) -> Term:
    """Return a term in which the players have changed names."""
    if isinstance(value, Symbol):
        return {X: O, O: X}.get(value, value)
    if isinstance(value, Compound):
        return Compound(value.name, tuple(map(mirrored, value.args)))
    return value


def mirrored_state(state: State) -> State:
    return frozenset(map(mirrored, state))


def mirrored_moves(moves: Moves) -> Moves:
    return {mirrored(role): mirrored(move) for role, move in moves.items()}


def moves(x: str, o: str, coin: str) -> Moves:
    return {X: term(f'(mark {x})'), O: term(f'(mark {o})'), NATURE: term(f'(favour {coin})')}


def test_rules_stay_the_same_when_the_players_change_names(engine: Engine) -> None:
    forms = parse(Source(str(engine.game))).forms
    assert set(map(mirrored, forms)) == set(forms)


@pytest.mark.parametrize('seed', range(10))
def test_mirrored_moves_lead_to_mirrored_states(engine: Engine, seed: int) -> None:
    state = other = engine.initial_state
    for step in play(engine, seed).history:
        legal, other_legal = engine.legal_moves(state), engine.legal_moves(other)
        assert legal[X] == other_legal[O] and legal[O] == other_legal[X]
        assert [mirrored(coin) for coin in legal[NATURE]] == sorted(
            other_legal[NATURE], key=str, reverse=True
        )
        played = mirrored_moves(step.played)
        percepts = engine.percepts(other, played)
        assert percepts[O] == step.percepts[X] and percepts[X] == step.percepts[O]
        state, other = step.state, engine.next_state(other, played)
        assert other == mirrored_state(state)
        assert engine.is_terminal(other) == engine.is_terminal(state)
        goals, other_goals = engine.goals(state), engine.goals(other)
        assert (goals[X], goals[O]) == (other_goals[O], other_goals[X])


def test_random_players_win_equally_often(engine: Engine) -> None:
    count = 2000
    found = Counter(p.goals[X] for p in engine.playouts(count, seed=3, max_steps=9))
    assert set(found) == {0, 50, 100}
    decided = found[0] + found[100]
    assert abs(found[100] - found[0]) < 3 * sqrt(decided)


@pytest.mark.parametrize(('coin', 'winner', 'loser'), [('x', X, O), ('o', O, X)])
def test_coin_decides_who_gets_a_cell_that_both_choose(
    engine: Engine, coin: str, winner: Symbol, loser: Symbol
) -> None:
    played = moves('2 2', '2 2', coin)
    percepts = engine.percepts(engine.initial_state, played)
    assert percepts[winner] == {term('(got 2 2)')}
    assert percepts[loser] == {term('(taken 2 2)')}
    state = engine.next_state(engine.initial_state, played)
    assert {term(f'(cell 2 2 {winner})')} == {f for f in state if str(f).startswith('(cell ')}
    for role in (X, O):
        assert term('(mark 2 2)') not in engine.legal_moves(state)[role]


def test_coin_is_tossed_in_every_round(engine: Engine) -> None:
    expected = (term('(favour o)'), term('(favour x)'))
    assert engine.legal_moves(engine.initial_state)[NATURE] == expected


def test_taken_cell_is_discovered(engine: Engine) -> None:
    match = Interpreter(engine, 1)
    match.step({X: term('(mark 1 1)'), O: term('(mark 3 3)')})
    assert match.view(X).facts == {term('(got 1 1)')}
    assert match.view(O).facts == {term('(got 3 3)')}
    match.step({X: term('(mark 3 3)'), O: term('(mark 2 2)')})
    assert match.view(X).facts == {term('(taken 3 3)')}
    assert match.view(O).facts == {term('(got 2 2)')}


def test_two_lines_in_one_round_are_a_draw(engine: Engine) -> None:
    state = engine.initial_state
    for column in (1, 2, 3):
        assert not engine.is_terminal(state)
        state = engine.next_state(state, moves(f'1 {column}', f'2 {column}', 'x'))
    assert engine.is_terminal(state)
    assert (engine.goals(state)[X], engine.goals(state)[O]) == (50, 50)
