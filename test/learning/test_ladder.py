"""Levels that are evenly spaced in Elo: no two of them are the same."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from time import monotonic

import numpy as np
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

from gdl_agents.learning.dqn.value_trainer import ValueTrainer
from gdl_agents.learning.errors import RunError
from gdl_agents.learning.levels import calibration
from gdl_agents.learning.levels.calibration import calibrate_levels
from gdl_agents.learning.levels.elo import expected_score, fit_elo
from gdl_agents.learning.levels.ladder import (
    Ladder,
    Player,
    find_run_level,
    list_run_levels,
    read_ladder,
)
from gdl_agents.learning.training.config_file import make_config
from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_agents.learning.training_runs import begin_run
from gdl_agents.registry import open_agent
from gdl_env.cli.game_options import load
from gdl_env.cli.main import main

pytestmark = pytest.mark.torch


def test_ratings_explain_results() -> None:
    true = np.array([0.0, 120.0, 300.0, 410.0])
    score = expected_score(true[:, None] - true[None, :])
    games = np.full((4, 4), 1e6) - np.eye(4) * 1e6
    assert np.allclose(fit_elo(score, games), true, atol=1)
    # Who won all of ten games is better, but not without end.
    won = np.array([[0.0, 0.0], [1.0, 0.0]])
    _, better = fit_elo(won, np.array([[0.0, 10.0], [10.0, 0.0]]))
    assert 300 < better < 900


def ladder(*elo: float) -> Ladder:
    players = [Player('a', 100, temperature=9.0 - n, elo=value) for n, value in enumerate(elo)]
    return Ladder(tuple(players), count=4)


def test_levels_are_evenly_spaced_and_differ() -> None:
    found = ladder(0, 5, 10, 90, 100, 210, 215, 300)
    assert [player.elo for player in found.choose()] == [0, 100, 215, 300]
    for count in range(1, found.most + 1):
        chosen = found.choose(count)
        assert len(set(chosen)) == count and chosen[-1].elo == 300
        assert all(one.elo < two.elo for one, two in pairwise(chosen))
    with pytest.raises(RunError, match='levels that differ'):
        found.choose(found.most + 1)
    # As many as people could feel.
    assert len(ladder(0, 2, 4, 6, 8).choose()) == 1


@pytest.fixture(scope='module')
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Return a short run of tic-tac-toe."""
    learner = {'exact': 64, 'batch': 16, 'updates': 0.2, 'warm_up': 50}
    told = {'game': 'tictactoe', 'episodes': 300, 'snapshots': 2, 'levels': 6, 'level_games': 24}
    config = make_config(told, {'evaluation_games': 10, 'network': 'flat', 'learner': learner})
    trainer = ValueTrainer(load('tictactoe'), config)
    folder = RunFolder.create(config, tmp_path_factory.mktemp('runs'))
    while not trainer.is_done:
        for name, model in (trainer.tick() or {}).items():
            folder.save_snapshot(name, model)
    trainer.close()
    return folder


def test_players_of_a_run_become_levels(run: RunFolder, capsys: pytest.CaptureFixture) -> None:
    # By reward, as long as nothing is rated.
    assert len(list_run_levels(run)) == 2
    found = calibrate_levels(run, load('tictactoe'), run.config)
    assert read_ladder(run) is not None
    levels = list_run_levels(run, 'o')
    assert len(levels) >= 4
    made = [(level.snapshot.path, level.epsilon, level.temperature) for level in levels]
    assert len(set(made)) == len(made)
    assert levels[0].elo == 0 and levels[0].epsilon == 1
    steps = np.diff([level.elo for level in levels])
    assert (steps >= 15).all() and steps.max() < 4 * steps.mean()
    assert levels[-1].temperature == levels[-1].epsilon == 0
    # The same games again.
    again = calibrate_levels(run, load('tictactoe'), run.config)
    assert again.players == found.players
    assert main(['levels', str(run.path), '-n', '3']) == 0
    text = capsys.readouterr().out
    assert 'Elo' in text and 'against next' in text and 'random play' in text
    assert main(['levels', str(run.path), '--by', 'reward']) == 0
    assert 'wanted reward' in capsys.readouterr().out


@pytest.mark.parametrize('limit', [0.0, 2.0])
def test_players_meet_as_long_as_there_is_time(
    run: RunFolder, limit: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration, '_LEAST_TIME', limit)
    run.levels_file.unlink(missing_ok=True)
    config = replace(run.config, seconds=1e-3)
    begun = monotonic()
    found = calibrate_levels(run, load('tictactoe'), config)
    spent = monotonic() - begun
    assert found.players[0].epsilon == 1 and not found.players[-1].epsilon
    assert all(np.isfinite(player.elo) for player in found.players)
    if limit:
        assert len(found.players) > 2
    else:
        # Nobody has met anybody: there are no levels between.
        assert len(found.players) == 2 and spent < 5
    assert run.levels_file.exists() == bool(limit)
    assert list_run_levels(run)


def test_agents_play_levels(run: RunFolder) -> None:
    calibrate_levels(run, load('tictactoe'), run.config)
    agent = open_agent(f'rainbow:{run.path}@1/3')
    assert find_run_level(run, '1/3').epsilon == 1
    assert len(agent.levels()) == len(list_run_levels(run))
    agent.set_level('2')
    agent.set_level('reward:1/2')
    for text in ('0', '99', 'reward:9/3', 'x'):
        with pytest.raises(RunError, match='level'):
            agent.set_level(text)


# Of other algorithms: options of a short run, and what weaker players may be made of.
OTHERS = {
    'alphazero': (
        {'lanes': 16, 'episodes': 300, 'learner': {'playouts': 8}},
        ('random moves', 'playouts'),
    ),
    'mmd': ({'episodes': 20_000}, ('random moves', 'episodes')),
    'sequence': (
        {'episodes': 4_000, 'learner': {'sharpness': 20}},
        ('random moves', 'episodes'),
    ),
}


@pytest.mark.parametrize('algorithm', OTHERS)
def test_levels_of_other_algorithms(algorithm: str, tmp_path: Path) -> None:
    options, words = OTHERS[algorithm]
    told = {'game': 'tictactoe', 'algorithm': algorithm, 'snapshots': 2, 'evaluation_games': 10}
    told |= {'final_games': 10, 'levels': 5, 'level_games': 16}
    training = begin_run(load('tictactoe'), make_config(told, options), tmp_path)
    assert training.run()
    training.trainer.close()
    run = training.folder
    levels = list_run_levels(run)
    assert len(levels) >= 3 and levels[0].epsilon == 1
    assert (np.diff([level.elo for level in levels]) >= 15).all()
    made = [level.made_of for level in levels]
    assert len(set(made)) == len(made)
    assert all(any(word in text for word in words) for text in made[1:-1])
    # The strongest is the player as it is, and an agent plays the levels as they are said.
    assert not levels[-1].epsilon and not levels[-1].playouts
    arena = Arena(load('tictactoe'), 32)
    easy, hard = (open_agent(f'{algorithm}:{run.path}@{n}') for n in (1, len(levels)))
    score = arena.play({'x': hard, 'o': easy}, 100, seed=1)['x']
    arena.close()
    assert score.wins > 60
