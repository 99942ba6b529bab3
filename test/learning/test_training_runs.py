"""Runs of every algorithm keep the same files, resume alike, and leave models to play."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip('torch')

from gdl_agents.learning.levels.reward_levels import list_snapshots, strongest  # noqa: E402
from gdl_agents.learning.nash_distance import needs_mixing  # noqa: E402
from gdl_agents.learning.trained_models import make_player, read_model  # noqa: E402
from gdl_agents.learning.training.config import TrainingConfig  # noqa: E402
from gdl_agents.learning.training.config_file import make_config  # noqa: E402
from gdl_agents.learning.training.evaluation import Arena  # noqa: E402
from gdl_agents.learning.training.run_folder import RunFolder  # noqa: E402
from gdl_agents.learning.training_runs import begin_run, resume_run  # noqa: E402
from gdl_agents.players.random import RandomAgent  # noqa: E402
from gdl_env.language.library import find_game  # noqa: E402
from gdl_env.language.load import load_game, open_game  # noqa: E402

pytestmark = pytest.mark.torch

# By algorithm, what makes training short.
SHORT: dict[str, dict[str, Any]] = {
    'rainbow': {'lanes': 16, 'levels': 0, 'network': 'small'},
    'dqn': {'lanes': 16, 'levels': 0, 'network': 'small'},
    'alphazero': {'lanes': 16, 'levels': 0, 'network': 'light', 'learner': {'playouts': 4}},
    'mmd': {'lanes': 16, 'levels': 0, 'learner': {'batch': 16}},
    'sequence': {'lanes': 16, 'levels': 0, 'learner': {'batch': 16}},
}


def configure(algorithm: str) -> TrainingConfig:
    """Return options of a short run."""
    told = {'game': 'tictactoe', 'name': 'run', 'episodes': 48, 'snapshots': 2, 'threads': 1}
    told |= {'evaluation_games': 4, 'final_games': 4, 'algorithm': algorithm}
    return make_config(told, SHORT[algorithm])


@pytest.mark.parametrize('algorithm', SHORT)
def test_run_is_stopped_resumed_and_played(algorithm: str, tmp_path: Path) -> None:
    game = load_game(find_game('tictactoe'))
    run = begin_run(game, configure(algorithm), tmp_path, '# why\n')
    run.stop()
    assert not run.run()
    run.trainer.close()
    folder = RunFolder.open(tmp_path / 'tictactoe' / 'run')
    assert folder.training_file.read_text() == '# why\n'
    again = resume_run(game, folder)
    assert again.run()
    again.trainer.close()
    assert set(again.results) == {'x', 'o'}
    assert folder.curve_file.exists() and folder.read_metrics()[-1]['episodes'] >= 48
    card = folder.card_file.read_text()
    assert algorithm in card
    assert all(sentence in card for sentence in again.findings.sentences)
    model = read_model(strongest(list_snapshots(folder)).path)
    assert model.about.algorithm == algorithm
    players = {'x': make_player(model), 'o': RandomAgent()}
    assert Arena(game).play(players, 20, seed=1)['x'].games == 20


@pytest.mark.parametrize(
    ('algorithm', 'name'),
    [
        ('rainbow', 'kuhn_poker'),
        ('dqn', 'rock_paper_scissors'),
        ('mmd', 'kuhn_poker'),
        ('sequence', 'rock_paper_scissors'),
    ],
)
def test_what_best_responses_gain_is_on_every_card(
    algorithm: str, name: str, tmp_path: Path
) -> None:
    game = open_game(name)
    config = replace(configure(algorithm), game=name)
    run = begin_run(game, config, tmp_path)
    assert run.run()
    run.trainer.close()
    snapshots = list_snapshots(run.folder)
    gains = [snapshot.about.exploitability for snapshot in snapshots]
    # Players who always do the same lose by it: in rock, paper, scissors 100 goals each.
    assert all(0 <= gain <= 200 for gain in gains)
    assert strongest(snapshots).about.exploitability == min(gains)
    card = run.folder.card_file.read_text()
    assert f'NashConv, the sum of all gains: {min(gains):.2f} goals' in card
    assert run.folder.read_metrics()[-1]['exploitability'] == pytest.approx(gains[-1])


def test_in_open_games_nothing_is_gained_by_mixing() -> None:
    assert not needs_mixing(load_game(find_game('tictactoe')), 'rotate')
    assert needs_mixing(load_game(find_game('kuhn_poker')), 'rotate')
    assert needs_mixing(load_game(find_game('rock_paper_scissors')), 'rotate')


@pytest.mark.parametrize('algorithm', SHORT)
def test_a_run_with_next_to_no_time_is_a_whole_run(algorithm: str, tmp_path: Path) -> None:
    """Its game is too long for a single episode to end."""
    told = {'game': 'breakthrough', 'algorithm': algorithm, 'seconds': 0.01, 'threads': 1}
    told |= {'evaluation_games': 1, 'final_games': 1}
    run = begin_run(open_game('breakthrough'), make_config(told, SHORT[algorithm]), tmp_path)
    assert run.run()
    run.trainer.close()
    assert run.trainer.episodes == 0 and list_snapshots(run.folder)
    assert '\n0 episodes' in run.folder.card_file.read_text()
