"""Draws of players belong to lanes: the same, whatever other lanes are asked about."""

from __future__ import annotations

import numpy as np
import pytest

from gdl_agents.agent import Agent
from gdl_agents.players.draws import LaneDraws, question_key
from gdl_agents.players.random import RandomAgent
from gdl_agents.players.weakening import weaken
from gdl_env.environment.cohorts import split_options
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import Question
from gdl_env.language.load import open_game

OPTIONS = Options(lanes=70, seed=2)


def test_a_lane_draws_the_same_in_any_company() -> None:
    key, first = question_key(1, 'x', 7), 5
    whole = LaneDraws(key, np.arange(20))
    part = LaneDraws(question_key(1, 'x', 7, first), np.array([0, 3]))
    for shape in (20, (20, 4), 20):
        expected = whole.random(shape)[[first, first + 3]]
        size = 2 if isinstance(shape, int) else (2, *shape[1:])
        np.testing.assert_array_equal(part.random(size), expected)
    np.testing.assert_array_equal(part.gumbel((2, 3)), whole.gumbel((20, 3))[[5, 8]])
    with pytest.raises(ValueError, match='3 rows of draws for 2 lanes'):
        part.random(3)


def test_draws_are_spread_evenly() -> None:
    draws = LaneDraws(question_key(3, 'o', 1), np.arange(400))
    found = draws.random((400, 50))
    assert ((found >= 0) & (found < 1)).all()
    assert len(np.unique(found)) == found.size
    counts, _ = np.histogram(found, bins=10, range=(0, 1))
    # About seven times the standard deviation.
    assert (abs(counts - 2_000) < 300).all()
    assert abs(np.corrcoef(found[:, 0], found[:, 1])[0, 1]) < 0.2
    noise = draws.gumbel(400 * 1)
    assert abs(noise.mean() - 0.5772) < 0.4


def ask(options: Options) -> list[Question]:
    environment = Environment.open(open_game('tictactoe'), options)
    return environment.questions(only_decisions=True)


@pytest.mark.parametrize('epsilon', [0.0, 0.5])
def test_players_answer_alike_in_cohorts(epsilon: float) -> None:
    def answer(question: Question) -> np.ndarray:
        agent: Agent = RandomAgent()
        agent.begin(info, info.roles, 9)
        action = agent.choose(question).action
        assert action is not None
        return weaken(question, action, epsilon, 4)

    info = Environment.open(open_game('tictactoe'), OPTIONS).info()
    expected = [answer(question) for question in ask(OPTIONS)]
    parts = [[answer(question) for question in ask(part)] for part in split_options(OPTIONS, 3)]
    for whole, pieces in zip(expected, zip(*parts, strict=True), strict=True):
        np.testing.assert_array_equal(np.concatenate(pieces), whole)
