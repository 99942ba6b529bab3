"""AlphaZero learns from the questions and the feedback of a match, in whatever order they come."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

from gdl_agents.learning.alphazero.match_learner import AlphaZeroLearner
from gdl_agents.learning.dqn.learning_agent import LearningAgent
from gdl_agents.learning.errors import ConfigError, LearningError
from gdl_agents.learning.trained_models import make_player, model_from_bytes
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.config_file import make_config, read_settings
from gdl_agents.learning.training.evaluation import Arena, mean_reward
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.language.game import Game
from gdl_env.language.library import find_game
from gdl_env.language.load import load_game

pytestmark = pytest.mark.torch

LANES = 16
QUICK = {'playouts': 12, 'quick_playouts': 4, 'warm_up': 64, 'batch': 64}


@pytest.fixture(scope='module')
def game() -> Game:
    return load_game(find_game('tictactoe'))


def open_learner(game: Game, **options: Any) -> tuple[Environment, AlphaZeroLearner]:
    environment = Environment.open(game, Options(LANES, seed=1))
    config = configure(**QUICK, **options)
    return environment, AlphaZeroLearner(environment.info(), config, 7)


def configure(**options: Any) -> TrainingConfig:
    told = {'algorithm': 'alphazero', **options}
    return make_config(read_settings(f'{name}={value}' for name, value in told.items()))


def play(environment: Environment, learner: AlphaZeroLearner, ticks: int) -> None:
    """Play some ticks; feedback comes in another order than roles have."""
    for _ in range(ticks):
        answers = {q.role: learner.observe(q) for q in environment.questions(only_decisions=True)}
        step = environment.step(answers)
        for feedback in [*step.feedback.values()][::-1]:
            learner.learn(feedback)


def test_it_learns_to_beat_random_players(game: Game) -> None:
    environment, learner = open_learner(game)
    first = learner.model()
    play(environment, learner, 200)
    assert learner.updates > 20
    assert learner.version > 0 and not np.isnan(learner.loss)
    learned = model_from_bytes(learner.model().to_bytes())
    arena = Arena(game, 64)
    rewards = [
        mean_reward(arena.seat_in_turn(lambda role, m=model: make_player(m), 100, 5))
        for model in (first, learned)
    ]
    assert rewards[1] > rewards[0] and rewards[1] > 8.5


def test_an_episode_counts_once_all_roles_know_its_end(game: Game) -> None:
    environment, learner = open_learner(game, quick_share=0, opening_share=0)
    held = []
    while not environment.tallies.finished:
        answers = {q.role: learner.observe(q) for q in environment.questions(only_decisions=True)}
        step = environment.step(answers)
        learner.learn(step.feedback['x'])
        held.append(step.feedback['o'])
    assert learner.to_tree()['counts'][0] == 0
    for feedback in held:
        learner.learn(feedback)
    # A game has five to nine decisions, of which the last may be forced.
    assert 4 <= learner.to_tree()['counts'][0] / environment.tallies.finished <= 9


def test_decisions_of_others_are_learned_from(game: Game) -> None:
    environment, learner = open_learner(game)
    for _ in range(20):
        answers = {}
        for question in environment.questions(only_decisions=True):
            answer = learner.observe(question)
            answers[question.role] = answer
            # As an actor's match has it, under the name of the match.
            other = replace(question, role=f'actor_1/{question.role}')
            learner.watch(other, answer.action)
        step = environment.step(answers)
        for role, feedback in step.feedback.items():
            learner.learn(replace(feedback, role=f'actor_1/{role}'))
    # Of the match that was watched alone was it heard how games ended.
    assert learner.to_tree()['counts'][0] > 0


def test_it_continues_where_it_was(game: Game) -> None:
    environment, learner = open_learner(game)
    play(environment, learner, 60)
    tree = learner.to_tree()
    _, other = open_learner(game)
    other.restore(tree)
    assert (other.updates, other.version) == (learner.updates, learner.version)
    weights, others = learner.model().weights, other.model().weights
    assert all(weight.equal(others[name]) for name, weight in weights.items())
    play(environment, other, 30)
    assert other.updates > learner.updates


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'until_proved': True}, 'until_proved=True does not apply'),
        ({'mapping': 'x.yaml'}, 'mapping=x.yaml does not apply'),
        ({'playouts': 0}, 'playouts must be 1 or more'),
    ],
)
def test_options_that_cannot_be_obeyed(game: Game, options: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        AlphaZeroLearner(Environment.open(game).info(), configure(**options), 1)


def test_all_roles_must_be_learned(game: Game) -> None:
    agent = LearningAgent('algorithm=alphazero')
    with pytest.raises(LearningError, match='another agent plays o'):
        agent.begin(Environment.open(game).info(), ('x',), 1)
