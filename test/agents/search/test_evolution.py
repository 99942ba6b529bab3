"""Evaluations that evolve."""

from pathlib import Path

import numpy as np
import pytest
from search_games import WEIGHTED, game_of, play

from gdl_agents.errors import AgentError
from gdl_agents.registry import open_agent
from gdl_agents.search.alphabeta.evolving import Evolution, EvolutionSettings
from gdl_env.cli.main import main
from gdl_env.environment.environment import Environment


def test_evolves_to_beat_random_players(tmp_path: Path) -> None:
    evolution = Evolution(game_of('tictactoe'), EvolutionSettings(generations=8, games=8))
    evolution.run()
    assert [generation.number for generation in evolution.history] == list(range(1, 9))
    path = tmp_path / 'evolved' / 'tictactoe.json'
    evolution.save(path)
    score = play('tictactoe', (f'evolution:{path}', 'random'), 200)['x']
    # A random player wins 58 of 100 there.
    assert score.wins > 150
    deeper = play('tictactoe', ('random', f'evolution:{path} depth=3'), 100)['o']
    assert deeper.losses < 10


def test_the_same_seed_evolves_the_same() -> None:
    runs = []
    for _ in range(2):
        evolution = Evolution(game_of('tictactoe'), EvolutionSettings(2, 6, 2, seed=3))
        evolution.run()
        runs.append(evolution.weights)
    assert np.array_equal(*runs)


def test_files_of_other_games(tmp_path: Path) -> None:
    evolution = Evolution(game_of('tictactoe'), EvolutionSettings(1, 4, 1))
    path = tmp_path / 'x.json'
    evolution.save(path)
    environment = Environment.open(game_of('connect_four'))
    with pytest.raises(AgentError, match='evolved for tictactoe'):
        open_agent(f'evolution:{path}').begin(environment.info(), ('red',), 1)
    with pytest.raises(AgentError, match="no option 'eval="):
        open_agent(f'evolution:{path} eval=mine.py:centre')
    path.write_text('{}')
    with pytest.raises(AgentError, match='no file of evolution'):
        open_agent(f'evolution:{path}')
    with pytest.raises(AgentError, match='cannot be read'):
        open_agent(f'evolution:{tmp_path / "nothing.json"}')


def test_games_that_hide_something_do_not_evolve() -> None:
    with pytest.raises(AgentError, match='hide nothing'):
        Evolution(game_of('krieg_tictactoe'))


def test_one_variant_does_not_evolve() -> None:
    with pytest.raises(AgentError, match='2 or more, not 1'):
        Evolution(game_of('tictactoe'), EvolutionSettings(population=1))


def test_folder_of_a_game_with_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(['evolve', 'hex(size=2)', '--generations', '1', '--population', '2']) == 0
    assert 'play it as evolution:runs/hex-size-2/evolution.json' in capsys.readouterr().out
    assert Path('runs/hex-size-2/evolution.json').is_file()


def test_games_for_one_evolve() -> None:
    evolution = Evolution(game_of(WEIGHTED), EvolutionSettings(2, 4, 8))
    evolution.run()
    assert 50 < evolution.history[-1].strength <= 100
