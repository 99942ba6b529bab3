"""Measures of games that are known, and screens against those that are not worth playing."""

from __future__ import annotations

from made_up_rules import counting_game, endless_game
import numpy as np
import pytest

from gdl_agents.inventing.measures import Measures, find_drama, measure_game
from gdl_agents.inventing.screening import (
    Fault,
    screen_measures,
    screen_random_games,
    screen_rules,
)
from gdl_env.language.load import game_from_text, open_game


def test_tictactoe_is_drawn_and_fair() -> None:
    found = measure_game(open_game('tictactoe'), seed=3)
    assert found.decisiveness < 0.6
    assert found.balance > 0.6
    assert found.depth > 0.3
    assert 7 < found.turns <= 9
    # Half of the cells are empty on average, and the last move is forced.
    assert 4 < found.choices < 7


def test_a_game_that_the_first_player_always_wins_is_unbalanced() -> None:
    # Two heaps that differ: the first player makes them equal, and wins.
    found = measure_game(open_game('nim(heaps=2 3)'), seed=3)
    assert found.balance < 0.2
    assert found.decisiveness == 1
    finding = screen_measures(found)
    assert finding is not None
    assert finding.fault is Fault.TRIVIAL
    assert 'one seat' in finding.words


def test_thinking_wins_nothing_where_moves_change_nothing() -> None:
    found = measure_game(game_from_text(counting_game(8)), seed=1)
    assert found.depth == 0
    assert found.choices == 2
    assert found.turns == 8


def test_measures_repeat() -> None:
    game = open_game('breakthrough(size=4)')
    assert measure_game(game, 5) == measure_game(game, 5)
    assert measure_game(game, 5) != measure_game(game, 6)


def test_drama_is_how_far_the_winner_was_behind() -> None:
    ahead = np.array([[0.5, 0.5], [0.7, 0.3], [1.0, 0.0]])
    assert find_drama(ahead, np.array([0])) == 0
    assert find_drama(ahead, np.array([1])) == pytest.approx((0.4**0.5 + 1) / 3)


def test_score_prefers_what_is_better() -> None:
    poor = Measures(0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 20.0, 10.0)
    assert poor.score == pytest.approx(0.5)
    better = Measures(0.9, 0.5, 0.5, 0.5, 0.5, 0.5, 20.0, 10.0)
    assert better.score > Measures(0.5, 0.5, 0.9, 0.5, 0.5, 0.5, 20.0, 10.0).score > poor.score


def test_screens_name_what_is_wrong() -> None:
    broken = screen_rules('(role a)\n(role b)\n(<= terminal (true nothing))')
    assert broken is not None
    assert broken.fault is Fault.BROKEN
    # The turn is out of its range.
    outside = (
        counting_game(8).replace('(true (turn 8))', '(true (turn 7))').replace('[0,8]', '[0,6]')
    )
    found = screen_rules(outside)
    assert found is not None
    assert found.fault is Fault.BROKEN
    for text, fault, word in (
        (counting_game(8, stuck_at=5), Fault.BROKEN, 'dead end'),
        (endless_game(), Fault.ENDLESS, '400 steps'),
        (counting_game(3), Fault.TRIVIAL, '3.0 steps'),
        (counting_game(8), Fault.TRIVIAL, '256 of 256'),
    ):
        finding = screen_random_games(game_from_text(text))
        assert finding is not None, text
        assert finding.fault is fault
        assert word in finding.words


@pytest.mark.parametrize(
    ('changed', 'word'),
    [
        ({'turns': 3.5}, 'after 3.5 turns'),
        ({'balance': 0.1}, 'one seat'),
        ({'decisiveness': 0.1}, 'drawn'),
        ({'depth': 0.0}, 'thinking'),
    ],
)
def test_measures_that_are_too_low(changed: dict[str, float], word: str) -> None:
    good = dict(zip(Measures.__dataclass_fields__, [0.8] * 6 + [20.0, 10.0], strict=True))
    assert screen_measures(Measures(**good)) is None
    finding = screen_measures(Measures(**{**good, **changed}))
    assert finding is not None
    assert word in finding.words
