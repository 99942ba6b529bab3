"""Alpha-beta by whole families finds what alpha-beta finds child by child."""

import numpy as np
import pytest
from search_games import LOTTERY, MATRIX, THREE, rules_of

from gdl_agents.search.alphabeta.breadth import evaluate_neutrally
from gdl_agents.search.alphabeta.families import FamilySearch, UnfitError, is_large
from gdl_agents.search.alphabeta.linear import LinearEvaluation
from gdl_agents.search.alphabeta.search import AlphaBetaSearch
from gdl_env.engine.batch.contract import BatchGame, States

MANY = 1 << 60


def positions(rules: BatchGame, count: int) -> list[tuple[States, int]]:
    """Return positions of random games with the role that decides there."""
    chance = np.random.Generator(np.random.Philox(key=7))
    found = []
    for _ in range(count):
        state = rules.initial
        for _ in range(int(chance.integers(1, 12))):
            look = rules.look(state)
            if look.terminal[0]:
                break
            moves = [look.moves(0, role) for role in range(len(rules.roles))]
            does = [rules.plain(m)[chance.integers(len(m))] if len(m) else -1 for m in moves]
            state = rules.step(state, np.array([does], np.int32))
        look = rules.look(state)
        deciders = np.flatnonzero(look.counts()[0] > 1)
        if not look.terminal[0] and len(deciders) == 1:
            found.append((state[0], int(deciders[0])))
    return found


@pytest.mark.parametrize(
    ('name', 'depth'), [('tictactoe', 9), ('connect_four', 5), ('breakthrough', 3)]
)
def test_values_are_those_of_the_other_search(name: str, depth: int) -> None:
    rules = rules_of(name)
    other = AlphaBetaSearch(rules)
    for number, (state, role) in enumerate(positions(rules, 12)):
        found = FamilySearch(rules, role, evaluate_neutrally).run(state, depth)
        plain = other.run(state, role, depth, MANY, number)
        assert found.value == plain.value
        # A win is certain, whatever is left open beside it.
        assert found.is_exact == (plain.is_exact or plain.value == 100)
        if found.value > 0 and found.depth == plain.depth:
            assert sorted(found.best.tolist()) == sorted(plain.best.tolist())


def test_evaluations_of_any_kind() -> None:
    rules = rules_of('connect_four')
    evaluation = LinearEvaluation({'red': {'(disc 4 1 red)': 1.0, '(disc 1 1 red)': 0.5}})
    other = AlphaBetaSearch(rules, evaluation.weights_of(rules, 0))
    for depth in (1, 2, 3, 4):
        found = FamilySearch(rules, 0, evaluation).run(rules.initial[0], depth)
        plain = other.run(rules.initial[0], 0, depth, MANY, depth)
        assert found.value == pytest.approx(plain.value)
        assert found.best.tolist() == plain.best.tolist()


def test_it_ends_when_time_or_positions_are_used_up() -> None:
    rules = rules_of('connect_four')
    found = FamilySearch(rules, 0, evaluate_neutrally).run(rules.initial[0], 40, limit=3_000)
    assert found.is_cut
    assert 1 < found.depth < 40
    assert len(found.best) >= 1
    ticks = iter(range(1_000))
    search = FamilySearch(rules, 0, evaluate_neutrally, clock=lambda: float(next(ticks)))
    found = search.run(rules.initial[0], 40, deadline=60.0)
    assert found.is_cut
    assert 60 < next(ticks) < 64
    nothing = FamilySearch(rules, 0, evaluate_neutrally).run(rules.initial[0], 40, limit=1)
    assert (nothing.depth, len(nothing.best)) == (0, 7)


@pytest.mark.parametrize('name', [MATRIX, LOTTERY])
def test_it_refuses_what_several_decide_and_what_is_drawn(name: str) -> None:
    rules = rules_of(name)
    with pytest.raises(UnfitError):
        FamilySearch(rules, 0, evaluate_neutrally).run(rules.initial[0], 3)


def test_all_others_are_against_one() -> None:
    rules = rules_of(THREE)
    assert FamilySearch(rules, 0, evaluate_neutrally).run(rules.initial[0], 9).value == 50


def test_it_is_chosen_by_the_size_of_the_circuit() -> None:
    assert not is_large(rules_of('connect_four'))
    assert is_large(rules_of('chess'))
