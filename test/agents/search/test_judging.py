"""Trees that grow by random games, with a judge that is asked about often visited nodes."""

from __future__ import annotations

from itertools import count

import numpy as np
from numpy.typing import NDArray
import pytest
from search_games import game_of

from gdl_agents.search.game.simulation import Simulation
from gdl_agents.search.tree.forest import Forest
from gdl_agents.search.tree.tree_options import TreeOptions
from gdl_agents.search.tree.tree_records import JUDGED, NODES, SOLVED
from gdl_env.engine.batch.make import open_batch


class Judge:
    """Finds everything good for the first role, and one move likely; counts what it is asked."""

    patience = 0

    def __init__(self, likely: float = 0.0) -> None:
        self.asked: list[int] = []
        self._likely = likely

    def __call__(self, forest: Forest, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        self.asked += nodes.tolist()
        arrays = forest.arrays
        if self._likely:
            for node in nodes.tolist():
                own = slice(arrays.starts[node, 0], arrays.starts[node, -1])
                size = max(1, own.stop - own.start - 1)
                arrays.arms['prior'][own] = (1 - self._likely) / size
                arrays.arms['prior'][own.start] = self._likely
        return np.tile([0.9, 0.1], (len(nodes), 1))


def plant(judge: Judge, *squares: str, **options: object) -> tuple[Forest, NDArray[np.int64]]:
    """Return a forest whose root is the position after marks on squares, x first."""
    rules = open_batch(game_of('tictactoe'))
    simulation = Simulation(rules)
    for number, square in enumerate(squares):
        role = rules.roles[number % 2]
        move = next(m for m in simulation.choices(role) if str(m) == f'(mark {square})')
        simulation.do({role: move})
    forest = Forest(rules, 1, TreeOptions(10_000, **options), judge)
    return forest, forest.plant(rules.from_state(simulation.state), len(squares) % 2)


def grow(forest: Forest, roots: NDArray[np.int64], times: int) -> None:
    for _ in range(times):
        forest.grow(roots)


def test_only_often_visited_nodes_are_judged() -> None:
    judge = Judge()
    forest, roots = plant(judge, judge_visits=20, judge_weight=5)
    grow(forest, roots, 150)
    asked = judge.asked
    assert asked[0] == roots[0] and len(asked) == len(set(asked)) > 5
    nodes = forest.arrays.nodes[: int(forest.arrays.counts[NODES])]
    marked = nodes['flags'] & JUDGED != 0
    assert set(np.flatnonzero(marked)) == set(asked)
    # Whoever was not asked about has too few visits, or needs no judge.
    ready = (nodes['visits'] >= 20) & (nodes['flags'] & SOLVED == 0)
    assert not (ready & ~marked).any()
    assert len(nodes) > 10 * len(asked)


@pytest.mark.parametrize('weight', [1, 40])
def test_a_judgement_counts_as_so_many_random_games(weight: int) -> None:
    judge = Judge()
    forest, roots = plant(judge, judge_visits=20, judge_weight=weight)
    grow(forest, roots, 100)
    moves = forest.root_moves(int(roots[0]), 0)
    judged = len(judge.asked) - 1
    # Other visits are to ends of games, which are not judged by anyone.
    rest = moves.visits.sum() - weight * judged - (forest.judged - judged)
    assert judged > 5 and 0 <= rest < 40
    mean = float((moves.means * moves.visits).sum() / moves.visits.sum())
    # Random games are won by x in about 60 % of all; the judge says 90 %.
    assert (mean > 0.75) == (weight > 1)


def test_priors_say_where_to_look() -> None:
    shares = []
    for likely in (0.0, 0.9):
        forest, roots = plant(Judge(likely), judge_visits=20, judge_weight=5)
        grow(forest, roots, 100)
        visits = forest.root_moves(int(roots[0]), 0).visits
        shares.append(visits[0] / visits.sum())
        # A prior of nearly nothing rules nothing out.
        assert (visits > 0).all()
    assert shares[1] > shares[0] + 0.2


def test_what_is_proved_stands_above_the_judge() -> None:
    # o must block, which the judge, who likes another move, does not know.
    forest, roots = plant(Judge(0.9), '2 2', '1 1', '1 2', judge_visits=5, judge_weight=50)
    grow(forest, roots, 60)
    moves = forest.root_moves(int(roots[0]), 1)
    names = [str(forest.rules.legal_move(int(row))[1]) for row in moves.rows]
    losing = [i for i, name in enumerate(names) if name != '(mark 3 2)']
    assert all(moves.proven[i] == 0 for i in losing)
    # A draw by force is worth more to who decides here than what the judge says of the position.
    grow(forest, roots, 200)
    assert forest.is_solved(int(roots[0]))
    assert forest.arrays.solved[roots[0]].tolist() == [0.5, 0.5]


def test_asking_takes_half_of_the_time() -> None:
    ticks = count()

    def clock() -> float:
        return float(next(ticks))

    class Slow(Judge):
        def __call__(self, forest: Forest, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
            for _ in range(self.patience):
                clock()
            return super().__call__(forest, nodes)

    for patience, rises in ((1, False), (100, True)):
        judge = Slow()
        judge.patience = patience
        forest, roots = plant(judge, judge_visits=20, clock=clock)
        grow(forest, roots, 50)
        assert (forest.settings.judge_visits > 20) == rises
    still, roots = plant(Judge(), judge_visits=20)
    grow(still, roots, 50)
    assert still.settings.judge_visits == 20
