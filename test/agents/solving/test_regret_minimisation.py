"""Strategies approach equilibria: quickly, by every rule, and with the known values."""

from __future__ import annotations

import pytest

from gdl_agents.solving.errors import SolvingError
from gdl_agents.solving.methods.regret_minimisation import RULES, minimise_regret
from gdl_agents.solving.tree.game_tree import build_tree
from gdl_env.language.load import open_game

# Game, goals of a unit, NashConv to reach in units, value of the first player in units.
CASES = [
    ('kuhn_poker', 25, 1e-3, -1 / 18),
    ('leduc_poker', 3, 5e-3, -0.0856),
    ('liars_dice', 50, 1e-4, 1 / 9),
    ('goofspiel', 50, 1e-3, 0.0),
]


@pytest.mark.parametrize(('name', 'unit', 'target', 'value'), CASES, ids=lambda v: str(v)[:12])
def test_reaches_the_value(name: str, unit: int, target: float, value: float) -> None:
    tree = build_tree(open_game(name))
    assert tree.is_constant_sum
    found = minimise_regret(tree.form, 'auto', target=target * unit, seconds=20)
    assert found.exploitability.nash_conv <= target * unit
    assert (found.exploitability.values[0] - 50) / unit == pytest.approx(value, abs=target)


@pytest.mark.parametrize('rule', RULES)
def test_every_rule(rule: str) -> None:
    form = build_tree(open_game('kuhn_poker')).form
    found = minimise_regret(form, rule, target=0.025, seconds=20)
    assert found.exploitability.nash_conv <= 0.025
    assert found.rule == rule


def test_limits() -> None:
    form = build_tree(open_game('kuhn_poker')).form
    assert minimise_regret(form, 'cfr+', target=0.0, seconds=60, most=20).iterations == 20
    with pytest.raises(SolvingError, match="no rule 'best'; rules: auto"):
        minimise_regret(form, 'best', target=0.0, seconds=1)
