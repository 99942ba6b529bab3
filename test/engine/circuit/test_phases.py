"""Roles that take turns share one choice, which stays uniform."""

from __future__ import annotations

import pytest

from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.circuit.network.build import Building, Circuit
from gdl_env.engine.circuit.network.phases import Choices, find_phases, share_choices
from gdl_env.engine.grounding.pipeline import ground_game
from gdl_env.language.load import game_from_text

# Who is not in control waits; who is may pass once 1 has been said.
SAYING = """
(role x) (role y) (num 1) (num 2) (num 3) (init (control x)) (init (step 0))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (legal ?p noop) (true (control ?p)) (true (said 1)))
(<= (legal ?p (say ?n)) (true (control ?p)) (num ?n) (not (true (said ?n))))
(<= (next (said ?n)) (true (said ?n)))
(<= (next (said ?n)) (does ?p (say ?n)))
(<= (next (by ?p ?n)) (does ?p (say ?n)))
(<= (next (by ?p ?n)) (true (by ?p ?n)))
(<= (next (control x)) (true (control y)))
(<= (next (control y)) (true (control x)))
(<= (next (step 1)) (true (step 0))) (<= (next (step 2)) (true (step 1)))
(<= terminal (true (step 2)))
(<= (goal ?p ?n) (true (by ?p ?n)))
(<= (goal ?p 0) (role ?p) (not (speaks ?p)))
(<= (speaks ?p) (true (by ?p ?n)))
"""

# Both act in each phase, and phases do not matter to what is legal.
CLOCK = """
(role x) (role y) (init tick) (num 1) (num 2) (num 3)
(<= (next tick) (true tock)) (<= (next tock) (true tick))
(<= (legal ?p (say ?n)) (role ?p) (num ?n) (not (true (said ?n))))
(<= (next (said ?n)) (does x (say ?n)))
(<= terminal (true (said 1))) (goal x 0) (goal y 0)
"""


pytestmark = pytest.mark.usefixtures('own_cache')


def plan(text: str) -> tuple[Choices | None, list[str]]:
    """Return the plan of a game, and the names of its legal moves."""
    circuit = Circuit(ground_game(game_from_text(text), None))
    phases = find_phases(circuit)
    assert len(phases) == 2
    building = Building(circuit)
    legal = circuit.vocabulary.legal
    by_role = {
        r: [i for i, (s, _) in enumerate(legal) if s == r] for r in circuit.vocabulary.roles
    }
    nodes = [int(building.wiring.facts[row]) >> 1 for row in phases]
    choices = share_choices(building.net, nodes, building.wiring.legal, by_role)
    return choices, [f'{role} {move}' for role, move in legal]


def test_waiting_is_forced_and_passing_is_a_choice() -> None:
    choices, names = plan(SAYING)
    assert choices is not None
    (slot,) = choices.slots
    assert sorted(len(rows) for rows in slot.values()) == [4, 4]
    assert sorted(names[row] for row, _ in choices.forced) == ['x noop', 'y noop']
    assert sorted(names[row] for row in choices.several) == ['x noop', 'y noop']


def test_nothing_is_shared_where_phases_do_not_matter() -> None:
    assert plan(CLOCK)[0] is None


def test_shared_choices_are_uniform() -> None:
    games = 60_000
    with CircuitEngine(game_from_text(SAYING)) as engine:
        results = [tuple(p.goals.values()) for p in engine.playouts(games, 3, 10)]
    expected = dict.fromkeys([(1, 2), (1, 3), (1, 0)], 1 / 9)
    expected |= dict.fromkeys([(2, 1), (2, 3), (3, 1), (3, 2)], 1 / 6)
    assert set(results) == set(expected)
    # Chi-square with six degrees of freedom: above 22.5 once in a thousand times.
    shares = [(results.count(key), games * share) for key, share in expected.items()]
    assert sum((seen - mean) ** 2 / mean for seen, mean in shares) < 22.5
