"""Sums over games."""

from __future__ import annotations

from math import isclose

from gdl_env.cli.statistics import Share, mean, summarise
from gdl_env.engine.contract import NATURE, Playout
from gdl_env.language.terms import Symbol

X, O = Symbol('x'), Symbol('o')  # noqa: E741


def play(steps: int, x: int | None, o: int | None) -> Playout:
    return Playout(steps, {X: x, O: o})


def test_mean_and_standard_error():
    assert str(mean([1, 2, 3, 4])) == '2.50 ± 0.65'
    assert (mean([5]).error, mean([]).value) == (0.0, 0.0)


def test_share():
    share = Share(25, 100)
    assert share.value == 0.25
    assert isclose(share.error, (0.25 * 0.75 / 100) ** 0.5)
    assert str(Share(0, 0)) == '-'


def test_results_of_roles_and_goal_vectors():
    games = [play(5, 100, 0), play(7, 100, 0), play(9, 50, 50), play(6, 0, 100)]
    summary = summarise(games, (X, NATURE, O), 10)
    x, o = summary.roles
    assert (x.wins.count, x.draws.count, x.losses.count) == (2, 1, 1)
    assert (o.wins.count, o.draws.count, o.losses.count) == (1, 1, 2)
    assert summary.outcomes[0] == ((100, 0), Share(2, 4))
    assert summary.steps.value == 6.75


def test_a_single_role_wins_with_100_only():
    games = [Playout(3, {X: 100}), Playout(3, {X: 75}), Playout(3, {X: None})]
    (x,) = summarise(games, (X,), 10).roles
    assert (x.wins.count, x.draws.count, x.losses.count) == (1, 0, 1)


def test_a_missing_goal_is_no_result():
    games = [play(5, None, None), play(5, 100, None), play(5, 20, 80), play(5, 40, 40)]
    x, o = summarise(games, (X, O), 10).roles
    assert (x.wins, x.draws, x.losses, x.without_goal) == (*(Share(1, 3),) * 3, 1)
    assert (o.wins, o.draws, o.losses, o.without_goal) == (
        Share(1, 2),
        Share(1, 2),
        Share(0, 2),
        2,
    )
    assert x.goal is not None and isclose(x.goal.value, 160 / 3)
    assert o.goal is not None and o.goal.value == 60


def test_a_role_that_never_gets_a_goal_has_no_mean():
    x, o = summarise([play(5, 0, None)] * 3, (X, O), 10).roles
    assert (o.goal, o.wins.total, o.without_goal) == (None, 0, 3)
    assert (x.losses, x.without_goal) == (Share(3, 3), 0)


def test_games_that_were_cut_do_not_count():
    summary = summarise([Playout(10, {}, is_terminal=False), play(4, 100, 0)], (X, O), 10)
    assert (summary.games, summary.cut, summary.stuck) == (2, 1, 0)
    summary = summarise([Playout(9, {}, is_terminal=False), play(4, 100, 0)], (X, O), 10)
    assert (summary.games, summary.cut, summary.stuck) == (2, 0, 1)
    assert summary.outcomes == (((100, 0), Share(1, 1)),)
