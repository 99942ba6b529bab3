"""Sequential halving at the root: budgets, proofs, and what it makes of a judge's values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
import pytest
from search_games import game_of

from gdl_agents.search.game.simulation import Simulation
from gdl_agents.search.tree.forest import Forest
from gdl_agents.search.tree.sequential_halving import RootResults, search_by_halving
from gdl_agents.search.tree.tree_options import TreeOptions
from gdl_env.engine.batch.make import open_batch

OPTIONS = TreeOptions(10_000, value_scale=0.25)


def prefer_first_square(forest: Forest, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Find states good for the first role in which its mark is on one square; priors are equal."""
    values = np.full((len(nodes), 2), 0.5)
    for i, node in enumerate(nodes.tolist()):
        facts = map(str, forest.rules.to_state(forest.arrays.states[node]))
        if '(cell 1 1 x)' in facts:
            values[i] = 0.9, 0.1
    return values


def search(budget: int, considered: int = 16, noise: float = 0.0) -> tuple[Forest, RootResults]:
    rules = open_batch(game_of('tictactoe'))
    forest = Forest(rules, 1, OPTIONS, prefer_first_square)
    roots = forest.plant(np.repeat(rules.initial, 3, axis=0), 0)
    chance = np.random.default_rng(1)
    budgets = np.full(3, budget, np.int64)
    return forest, search_by_halving(forest, roots, budgets, considered, chance, noise)


@pytest.mark.parametrize(('budget', 'considered'), [(1, 16), (5, 4), (48, 4), (50, 16)])
def test_budgets_are_kept(budget: int, considered: int) -> None:
    forest, _ = search(budget, considered)
    visits = [forest.root_moves(root, 0).visits for root in range(3)]
    assert [own.sum() for own in visits] == [budget] * 3
    assert all(np.count_nonzero(own) <= considered for own in visits)


def test_the_best_half_stays_and_its_policy_grows() -> None:
    forest, found = search(54)
    moves = forest.root_moves(0, 0)
    names = [str(forest.rules.legal_move(int(row))[1]) for row in moves.rows]
    best = names.index('(mark 1 1)')
    # All are tried once, four of them three times more, and the last two until the end.
    assert sorted(moves.visits.tolist()) == [1, 1, 1, 1, 1, 4, 4, 20, 21]
    assert moves.visits.argmax() == best
    assert found.policy(0, 0).argmax() == best and found.policy(0, 0).sum() == pytest.approx(1)
    assert found.found.chosen[0, 0] == forest.arms_of(0, 0).start + best
    # The value is that after the chosen move; the mean of the root is lower.
    assert found.found.values[0, 0] > 0.8 > moves.means.mean()
    assert not found.is_proved.any()


def test_noise_draws_other_moves() -> None:
    _, found = search(4, considered=2, noise=1.0)
    assert len(set(found.found.chosen[:, 0].tolist())) > 1


def plant_after(options: TreeOptions, *squares: str) -> tuple[Forest, NDArray[np.int64]]:
    """Return a forest whose root is the position after marks on squares, x first."""
    rules = open_batch(game_of('tictactoe'))
    simulation = Simulation(rules)
    for number, square in enumerate(squares):
        role = rules.roles[number % 2]
        move = next(m for m in simulation.choices(role) if str(m) == f'(mark {square})')
        simulation.do({role: move})
    forest = Forest(rules, 1, options, prefer_first_square)
    return forest, forest.plant(rules.from_state(simulation.state), len(squares) % 2)


def test_a_proof_ends_the_search() -> None:
    forest, roots = plant_after(OPTIONS, '1 1', '2 1', '1 2', '2 2')
    chance = np.random.default_rng(1)
    found = search_by_halving(forest, roots, np.array([200]), 16, chance, noise=0.0)
    assert found.is_proved.all() and found.found.values[0].tolist() == [1.0, 0.0]
    moves = forest.root_moves(0, 0)
    assert moves.visits.sum() < 20
    names = [str(forest.rules.legal_move(int(row))[1]) for row in moves.rows]
    assert found.policy(0, 0)[names.index('(mark 1 3)')] == pytest.approx(1)


def test_wins_at_once_are_seen_without_a_visit() -> None:
    for most, seen in ((9, 5), (0, 0), (4, 0)):
        options = TreeOptions(10_000, value_scale=0.25, win_arms=most)
        forest, roots = plant_after(options, '1 1', '2 1', '1 2')
        chance = np.random.default_rng(1)
        found = search_by_halving(forest, roots, np.array([6]), 16, chance, noise=0.0)
        moves = forest.root_moves(0, 1)
        names = [str(forest.rules.legal_move(int(row))[1]) for row in moves.rows]
        # Each move was tried once; all but one let the other win.
        assert moves.visits.tolist() == [1] * 6
        assert np.count_nonzero(moves.proven == 0) == seen
        if seen:
            assert found.policy(0, 1)[names.index('(mark 1 3)')] == pytest.approx(1)
