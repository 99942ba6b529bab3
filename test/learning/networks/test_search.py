"""The search grows what helps, stops when nothing does, and keeps what it tried."""

from __future__ import annotations

from math import inf, nan

import pytest

pytest.importorskip('torch', reason="pip install '.[learn]'")

from gdl_agents.learning.networks import (
    Candidate,
    Conv,
    Linear,
    NetworkError,
    NetworkSpec,
    Residual,
    search,
)
from gdl_agents.learning.networks.growth import deepen, grow, widen

pytestmark = pytest.mark.torch

START = NetworkSpec((Linear(8),))


def width(spec: NetworkSpec) -> int:
    return max(layer.width for layer in spec.layers)


def test_it_finds_the_best_and_stops_behind_it():
    asked = []

    def evaluate(spec, budget):
        asked.append((spec, budget))
        return -abs(width(spec) - 32) - abs(len(spec.layers) - 2)

    told = []
    result = search(START, evaluate, budget=10, report=told.append)
    assert result.best.spec == NetworkSpec((Linear(32), Linear(32)))
    assert result.best.score == 0
    assert tuple(told) == result.candidates
    assert asked == [(candidate.spec, 10) for candidate in result.candidates]
    # Wider, wider, deeper, and a round that did not help.
    assert [c.round for c in result.candidates] == [0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert len({candidate.spec for candidate in result.candidates}) == len(result.candidates)


def test_growth_that_does_not_help_ends_the_search():
    result = search(START, lambda spec, budget: -width(spec), 1)
    assert result.best.spec == START and result.best.round == 0
    assert len(result.candidates) == 3


def test_a_gain_must_be_worth_it():
    result = search(START, lambda spec, budget: len(spec.layers) / 10, 1, least_gain=0.2)
    assert result.best.spec == START


def test_rounds_are_limited():
    result = search(START, lambda spec, budget: width(spec), 1, rounds=2)
    assert width(result.best.spec) == 32
    result = search(START, lambda spec, budget: 1, 1, rounds=0)
    assert result.candidates == (Candidate(START, 1.0, 0),)


def test_a_training_that_comes_to_nothing_is_the_worst():
    result = search(
        START, lambda spec, budget: nan if width(spec) > 8 else len(spec.layers), 1, rounds=3
    )
    assert len(result.best.spec.layers) == 4
    assert sorted({c.score for c in result.candidates}) == [-inf, 1, 2, 3, 4]
    assert all(candidate.score > 0 for candidate in result.levels(9))


def test_what_training_raises_is_passed_on():
    def evaluate(spec, budget):
        raise RuntimeError('no memory')

    with pytest.raises(RuntimeError, match='no memory'):
        search(START, evaluate, 1)


def test_growing_may_be_replaced():
    def narrower(spec):
        return [NetworkSpec((Linear(width(spec) // 2),))] if width(spec) > 1 else []

    result = search(START, lambda spec, budget: -width(spec), 1, grow=narrower)
    assert result.best.spec == NetworkSpec((Linear(1),))


def test_weaker_candidates_are_levels_of_difficulty():
    scores = {8: 0.0, 16: 0.1, 32: 0.45, 64: 0.5, 128: 1.0}
    result = search(
        START, lambda spec, _: scores[width(spec)], 1, rounds=4, grow=lambda s: [widen(s)]
    )

    def levels(count):
        return [candidate.score for candidate in result.levels(count)]

    assert levels(1) == [1.0]
    assert levels(2) == [0.0, 1.0]
    assert levels(3) == [0.0, 0.5, 1.0]
    assert levels(5) == [0.0, 0.1, 0.5, 1.0]
    with pytest.raises(NetworkError, match='got 0'):
        result.levels(0)


def test_levels_of_equal_candidates_are_one():
    assert len(search(START, lambda spec, budget: 1, 1).levels(5)) == 1


def test_how_networks_grow():
    assert grow(START) == (NetworkSpec((Linear(16),)), NetworkSpec((Linear(8), Linear(8))))
    assert grow(NetworkSpec(())) == (NetworkSpec((Linear(32),)),)
    board = NetworkSpec((Conv(8), Conv(2, 1), Linear(4)), norm='layer')
    assert widen(board) == NetworkSpec((Conv(16), Conv(4, 1), Linear(8)), norm='layer')
    deeper = deepen(board)
    assert deeper.layers == (Conv(8), Residual(1), Conv(2, 1), Linear(4))
    assert deepen(deeper).layers == (Conv(8), Residual(2), Conv(2, 1), Linear(4))


def test_networks_do_not_grow_for_ever():
    for start in (START, NetworkSpec((Conv(8), Linear(4)))):
        spec = start
        for _ in range(100):
            spec = widen(deepen(spec))
        assert grow(spec) == ()


def test_what_is_beyond_the_limits_stays():
    wide = NetworkSpec((Linear(5000),))
    assert widen(wide) == wide
