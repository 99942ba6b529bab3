"""An environment that is put back to a snapshot continues as it did before."""

from __future__ import annotations

from dataclasses import asdict
import json
from pathlib import Path

import numpy as np
import pytest

from gdl_agents.players.random import RandomAgent
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options, Policy
from gdl_env.language.library import find_game
from gdl_env.language.load import load_game

GAMES = sorted((Path(__file__).parents[2] / 'games').glob('*.gdl'))


def open_environment(path: Path, engine: str) -> Environment:
    environment = Environment.open(load_game(path), Options(lanes=3, seed=5), engine)
    environment.set_policy(environment.roles[-1], Policy.RANDOM)
    return environment


def play(environment: Environment, ticks: int) -> list[object]:
    agent = RandomAgent()
    agent.begin(environment.info(), environment.roles, 9)
    told: list[object] = []
    for _ in range(ticks):
        questions = environment.questions(only_decisions=True)
        told += [(q.tick, q.role, q.observation.to_bytes()) for q in questions if q.observation]
        step = environment.step({q.role: agent.choose(q) for q in questions})
        told += [(f.reward.tolist(), f.action.tolist()) for f in step.feedback.values()]
    return [*told, environment.episode.tolist(), asdict(environment.tallies[environment.roles[0]])]


@pytest.mark.parametrize('path', GAMES, ids=lambda path: path.stem)
@pytest.mark.each_game
def test_restored_goes_on_alike(path: Path) -> None:
    environment = open_environment(path, 'auto')
    play(environment, 7)
    held = environment.snapshot()
    wanted = play(environment, 12)
    assert play(environment, 5)
    environment.restore(held)
    assert play(environment, 12) == wanted
    other = open_environment(path, 'auto')
    other.restore(held)
    assert play(other, 12) == wanted


@pytest.mark.parametrize('name', ['monty_hall'])
def test_on_any_engine(name: str) -> None:
    environment = open_environment(find_game(name), 'firstorder')
    play(environment, 4)
    held = environment.snapshot()
    # Text and numbers only, arrays apart: what the engine keeps means nothing to another.
    lanes = held['runner']['lanes']
    texts = json.dumps({name: lanes.pop(name) for name in ('states', 'seen')})
    assert all(isinstance(kept, np.ndarray) for kept in lanes.values())
    wanted = play(environment, 9)
    lanes.update(json.loads(texts))
    environment.restore(held)
    assert play(environment, 9) == wanted
    other = open_environment(find_game(name), 'firstorder')
    other.restore(held)
    assert play(other, 9) == wanted
