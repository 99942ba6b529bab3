"""AlphaZero with a time: random games evaluate positions beside the network."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')
pytestmark = pytest.mark.torch

from search_games import MATRIX, WEIGHTED, arena_of, game_of  # noqa: E402

from gdl_agents.learning.alphazero.agent import AlphaZeroAgent  # noqa: E402
from gdl_agents.learning.alphazero.model import AlphaZeroModel, build_policy_value  # noqa: E402
from gdl_agents.learning.networks import Linear, NetworkSpec, Shape  # noqa: E402
from gdl_agents.registry import open_agent  # noqa: E402
from gdl_agents.search.tree.tree_records import IMPROVED, MIXED, PUCT  # noqa: E402
from gdl_env.engine.mapping import open_encoding  # noqa: E402
from gdl_env.environment.environment import Environment  # noqa: E402


def untrained(name: str) -> AlphaZeroModel:
    game = game_of(name)
    shape = Shape.of(game, open_encoding(game))
    spec = NetworkSpec((Linear(32),))
    players = len(game.roles)
    network = build_policy_value(spec, shape, players, seed=1)
    return AlphaZeroModel(spec, shape, players, dict(network.state_dict()))


@pytest.mark.parametrize(
    ('options', 'mode'),
    [
        ({'time': 0.01}, MIXED),
        ({'time': 0.01, 'trust': 0}, IMPROVED),
        ({'time': 0.01, 'trust': 0, 'c': 1.5}, PUCT),
        ({'time': 0.01, 'playouts': 20}, IMPROVED),
        ({'playouts': 20}, IMPROVED),
        ({}, IMPROVED),
    ],
)
def test_when_random_games_help(options: dict[str, float], mode: int) -> None:
    agent = AlphaZeroAgent.of(untrained('tictactoe'), **options)
    modes = []
    make = agent.make_forest

    def spy(task):  # type: ignore[no-untyped-def]
        forest = make(task)
        modes.append(forest.settings.mode)
        return forest

    agent.make_forest = spy  # type: ignore[method-assign]
    environment = Environment.open(game_of('tictactoe'))
    agent.begin(environment.info(), ('x',), 1)
    answer = agent.choose(environment.questions()[0])
    assert answer.action is not None and 0 <= int(np.asarray(answer.action)[0]) < 9
    assert modes == [mode]
    environment.close()


def test_without_training_random_games_are_left() -> None:
    arena = arena_of('tictactoe', 10)
    agent = AlphaZeroAgent.of(untrained('tictactoe'), time=0.01)
    scores = arena.play({'x': agent, 'o': open_agent('random')}, 10, 1)
    assert scores['x'].wins >= 8


def test_chance_and_moves_made_together() -> None:
    arena = arena_of(WEIGHTED, 20)
    agent = AlphaZeroAgent.of(untrained(WEIGHTED), time=0.01)
    # A prize of 100 comes three times out of four; 40 are sure.
    assert (arena.play({'player': agent}, 20, 1)['player'].mean_goal or 0) > 50
    arena = arena_of(MATRIX, 10)
    seats = {role: AlphaZeroAgent.of(untrained(MATRIX), time=0.01) for role in arena.roles}
    assert sum(score.mean_goal or 0 for score in arena.play(seats, 10, 1).values()) == 100
