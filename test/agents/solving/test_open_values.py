"""Open games have the values that theory and others have found."""

from __future__ import annotations

from functools import reduce
from operator import xor

import pytest

from gdl_agents.solving.errors import NoValuesError, TooLargeError
from gdl_agents.solving.methods.open_values import OpenValues, solve_open
from gdl_agents.solving.tree.game_tree import TreeBudget
from gdl_env.engine.batch.make import open_batch
from gdl_env.language.load import game_from_text, open_game
from gdl_env.language.terms import args_of, name_of

AMPLE = TreeBudget(20_000_000, 300)


def values_of(name: str) -> OpenValues:
    return solve_open(open_batch(open_game(name)), AMPLE)


@pytest.mark.parametrize(
    ('name', 'states', 'value'),
    [
        # The number of positions of tic-tac-toe is well known.
        ('tictactoe', 5478, 50),
        ('hex(size=3)', 5514, 100),
        pytest.param('connect_four(columns=5,rows=4)', 3945711, 50, marks=pytest.mark.slow),
        pytest.param('hex(size=4)', 9386235, 100, marks=pytest.mark.slow),
    ],
)
def test_values(name: str, states: int, value: float) -> None:
    found = values_of(name)
    assert found.is_exact
    assert found.unknown == 0
    assert len(found.states) == states
    assert found.low[0] == value


def test_nim_is_won_by_the_exclusive_or() -> None:
    rules = open_batch(open_game('nim'))
    found = solve_open(rules, AMPLE)
    for row, value in zip(found.states, found.low, strict=True):
        facts = rules.to_state(row)
        heaps = [int(str(args_of(f)[1])) for f in facts if name_of(f) == 'heap']
        turn = next(str(args_of(f)[0]) for f in facts if name_of(f) == 'control')
        wins = reduce(xor, heaps) != 0
        assert value == (100 if wins == (turn == 'first') else 0)


GAMBLE = """
(role a) (role random) (init (at start)) (random coin 1 heads) (random coin 3 tails)
(<= (legal a keep) (true (at start))) (<= (legal a (toss coin)) (true (at start)))
(<= (next (at ?m)) (does a ?m))
(<= terminal (not (true (at start))))
(<= (goal a 20) (true (at keep)))
(<= (goal a 100) (true (at (toss heads))))
(<= (goal a 0) (true (at (toss tails))))
"""

ENDLESS = """
(role a) (role b) (init (at one)) (init (turn a))
(<= (legal ?r go) (true (turn ?r))) (<= (legal ?r stop) (true (turn ?r)))
(<= (next (turn b)) (true (turn a))) (<= (next (turn a)) (true (turn b)))
(<= (next (over ?r)) (does ?r stop))
(<= (next (at one)) (true (at one)))
(<= terminal (true (over ?r)))
(<= (goal ?r 0) (true (over ?r))) (<= (goal ?r 100) (role ?r) (not (true (over ?r))))
"""


def test_chance_is_weighed() -> None:
    found = solve_open(open_batch(game_from_text(GAMBLE)), AMPLE)
    assert found.low[0] == pytest.approx(25)
    assert found.is_exact


def test_what_goes_on_for_ever_has_no_exact_value() -> None:
    found = solve_open(open_batch(game_from_text(ENDLESS)), AMPLE)
    assert not found.is_exact
    assert (found.low[0], found.high[0]) == (0, 100)


def test_refusals() -> None:
    with pytest.raises(NoValuesError, match='hides something'):
        values_of('kuhn_poker')
    with pytest.raises(NoValuesError, match='at the same time'):
        values_of('goofspiel')
    with pytest.raises(TooLargeError, match=r'larger than 1,000 nodes: .* states up to'):
        solve_open(open_batch(open_game('connect_four')), TreeBudget(1000, 60))
