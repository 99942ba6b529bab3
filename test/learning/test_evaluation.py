"""Matches in lanes: by the rules of the match that was asked for."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

from made_up_games import TALK

from gdl_agents.learning.dqn.value_trainer import ValueTrainer
from gdl_agents.learning.training.config_file import make_config
from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.players.random import RandomAgent
from gdl_env.cli.game_options import load
from gdl_env.language.load import game_from_text

pytestmark = pytest.mark.torch


@pytest.mark.parametrize(('turn', 'winner'), [('rotate', 'b'), ('priority', 'a')])
def test_matches_obey_the_turn_rule(turn: str, winner: str) -> None:
    arena = Arena(game_from_text(TALK, 'talk'), 4, turn=turn)
    scores = arena.play({'a': RandomAgent(), 'b': RandomAgent()}, 10, 1)
    assert {role: score.wins for role, score in scores.items()} == {
        role: 10 * (role == winner) for role in ('a', 'b')
    }
    arena.close()


@pytest.mark.parametrize(('turn', 'winner'), [('rotate', 'b'), ('priority', 'a')])
def test_snapshots_are_evaluated_by_the_turn_rule_of_training(turn: str, winner: str) -> None:
    told: dict[str, Any] = {'game': 'talk', 'lanes': 4, 'network': 'small', 'turn': turn}
    trainer = ValueTrainer(game_from_text(TALK, 'talk'), make_config(told))
    scores = trainer.evaluate(6)
    assert scores[winner].wins == 6
    trainer.close()


@pytest.mark.parametrize(('seconds', 'games'), [(0.0, 30), (1e-3, 8), (1e4, 30)])
def test_evaluations_play_as_many_games_as_there_is_time_for(seconds: float, games: int) -> None:
    told = {'game': 'tictactoe', 'seconds': seconds, 'network': 'flat', 'lanes': 2}
    trainer = ValueTrainer(load('tictactoe'), make_config(told))
    scores = trainer.evaluate(30)
    assert {role: score.games for role, score in scores.items()} == {'x': games, 'o': games}
    trainer.close()
