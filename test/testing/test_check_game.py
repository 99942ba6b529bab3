"""Games that break their contract are caught, each with its reason."""

from __future__ import annotations

import pytest

from gdl_env.language.load import game_from_text
from gdl_env.testing import ConformanceError, check_game

STUCK = """
(role a) (init (at 1)) (legal a go) (<= (next (at 2)) (does a go))
(<= terminal (true (at 3))) (goal a 100)
"""


def game(text: str) -> str:
    return f'(role a) (role b) (init (at 1)) (legal b wait) {text}'


BROKEN = {
    'dead end': (
        '(role a) (init on) (<= (legal a go) (true on)) (<= terminal (true off))(goal a 0)',
        'a dead end: no role has a move',
    ),
    'endless': (STUCK.replace('(at 2)', '(at 1)'), 'not over after 50 steps'),
    'no goal': (
        game(
            '(legal a go) (<= (next (at 2)) (does a go)) (<= terminal (true (at 2)))'
            '(goal a 100) (<= (goal b 100) (true (at 1)))'
        ),
        'the goal of b is None',
    ),
    'goal out of range': (
        game(
            '(legal a go) (<= (next (at 2)) (does a go))'
            '(<= terminal (true (at 2))) (<= (goal a ?g) (add 100 50 ?g))'
            '(goal b 0)'
        ),
        'the goal of a is None, not 0 to 100',
    ),
}


@pytest.mark.parametrize(('rules', 'reason'), BROKEN.values(), ids=BROKEN)
def test_a_broken_game_is_caught(rules: str, reason: str) -> None:
    with pytest.raises(ConformanceError, match=reason):
        check_game(game_from_text(rules, 'broken'), max_steps=50)


def test_goals_that_do_not_add_up_are_caught() -> None:
    with pytest.raises(ConformanceError, match=r'goals do not add up to 99: x [0-9]+, o [0-9]+'):
        check_game('tictactoe', sum_of_goals=99)


@pytest.mark.parametrize('name', ['tictactoe', 'kuhn_poker', 'rock_paper_scissors'])
def test_good_games_pass(name: str) -> None:
    check_game(name, matches=3)
