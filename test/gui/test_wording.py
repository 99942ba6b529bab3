"""Sentences for people."""

from __future__ import annotations

import pytest

from gdl_env.gui.player_names import describe_player, describe_players
from gdl_env.gui.texts import describe_result, name_outcome

RESULTS = [
    ({'x': 100, 'o': 0}, '', 'x won (goals: x 100, o 0)'),
    ({'x': 100, 'o': 0}, 'o', 'you lost (goals: x 100, o 0)'),
    ({'x': 50, 'o': 50}, '', 'a draw (goals: x 50, o 50)'),
    ({'x': 50, 'o': 50}, 'x', 'a draw (goals: x 50, o 50)'),
    ({'a': 54, 'b': 46, 'c': 54, 'd': 46}, '', 'a and c won (goals: a 54, b 46, c 54, d 46)'),
    ({'a': 54, 'b': 46, 'c': 54, 'd': 46}, 'c', 'you won (goals: a 54, b 46, c 54, d 46)'),
    ({'a': 6, 'b': 60, 'c': 60, 'd': 60}, '', 'b, c and d won (goals: a 6, b 60, c 60, d 60)'),
    ({'a': 70}, '', 'the game is over (goal: a 70)'),
    ({'a': 70}, 'a', 'the game is over (goals: a 70)'),
    ({'a': 100}, 'a', 'you won (goals: a 100)'),
    ({}, '', ''),
]


@pytest.mark.parametrize(('goals', 'role', 'expected'), RESULTS)
def test_results(goals: dict[str, int], role: str, expected: str) -> None:
    assert describe_result(goals, role) == expected


@pytest.mark.parametrize(
    ('goals', 'role', 'expected'),
    [
        ({'x': 100, 'o': 0}, 'x', 'won'),
        ({'x': 100, 'o': 0}, 'o', 'lost'),
        ({'x': 50, 'o': 50}, 'o', 'draw'),
        ({'x': 100, 'o': 0}, '', ''),
        ({'a': 0}, 'a', 'lost'),
        ({'a': 70}, 'a', ''),
    ],
)
def test_outcomes(goals: dict[str, int], role: str, expected: str) -> None:
    assert name_outcome(goals, role) == expected


@pytest.mark.parametrize(
    ('players', 'expected'),
    [
        ({'white': 'me', 'black': 'mcts'}, 'you against mcts'),
        ({'white': 'mcts', 'black': 'me'}, 'you against mcts'),
        ({'x': 'mcts', 'o': 'random'}, 'mcts against random'),
        ({'x': 'mcts', 'o': 'mcts'}, 'mcts against mcts'),
        ({'x': 'me', 'o': 'me'}, 'people at their pages'),
        ({'a': 'me'}, 'you'),
        ({'a': 'random'}, 'random'),
    ],
)
def test_names_of_matches(players: dict[str, str], expected: str) -> None:
    assert describe_players(players) == expected


@pytest.mark.parametrize(
    ('player', 'expected'),
    [
        ('me', 'you'),
        ('mcts', 'mcts'),
        ('mcts:time=1', 'mcts, 1 s'),
        ('mcts:playouts=20,rave=5', 'mcts, 20 playouts, rave=5'),
        ('alphabeta:depth=4', 'alphabeta, depth 4'),
        ('rainbow:/home/me/runs/tictactoe/rainbow-gui-1@3', 'rainbow-gui-1, level 3'),
        ('rainbow:runs/tictactoe/mine', 'rainbow mine'),
    ],
)
def test_players_have_names_and_levels(player: str, expected: str) -> None:
    assert describe_player(player) == expected


@pytest.mark.parametrize(('goal', 'expected'), [(59, 'won'), (41, 'lost'), (50, 'draw')])
def test_one_goal_is_enough_where_nothing_won_has_a_value(goal: int, expected: str) -> None:
    assert name_outcome({'alice': goal}, 'alice', 50) == expected
