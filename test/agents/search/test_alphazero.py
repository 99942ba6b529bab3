"""AlphaZero: trains through the runs of learning, and plays."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')
pytestmark = pytest.mark.torch

from search_games import game_of, play  # noqa: E402

from gdl_agents.errors import AgentError  # noqa: E402
from gdl_agents.learning.alphazero.agent import AlphaZeroAgent  # noqa: E402
from gdl_agents.learning.alphazero.config import AlphaZeroConfig  # noqa: E402
from gdl_agents.learning.errors import LearningError, RunError  # noqa: E402
from gdl_agents.learning.training.config import TrainingConfig  # noqa: E402
from gdl_agents.learning.training.run_folder import RunFolder  # noqa: E402
from gdl_agents.learning.training.state_file import to_bytes  # noqa: E402
from gdl_agents.learning.training.trainer import TrainingStatus  # noqa: E402
from gdl_agents.learning.training_runs import begin_run, resume_run  # noqa: E402
from gdl_env.environment.environment import Environment  # noqa: E402


def config(episodes: int) -> TrainingConfig:
    options = AlphaZeroConfig(batch=64, warm_up=64, replay_ratio=19.0, playouts=48)
    return TrainingConfig(
        game='tictactoe',
        name='test',
        algorithm='alphazero',
        episodes=episodes,
        lanes=32,
        snapshots=2,
        evaluation_games=16,
        final_games=16,
        levels=0,
        alphazero=options,
        network='light',
    )


def test_learns_goes_on_and_plays(tmp_path: Path) -> None:
    game = game_of('tictactoe')
    run = begin_run(game, config(64), tmp_path)
    run.stop()
    assert not run.run()
    # A stopped run leaves its state, and resumes from it.
    again = resume_run(game, RunFolder.open(tmp_path / 'tictactoe' / 'test'))
    assert again.run()
    trainer = again.trainer
    assert trainer.episodes >= 64
    assert trainer.status().updates > 0
    folder = again.folder
    assert len(list(folder.snapshots.glob('*.npz'))) >= 2
    assert folder.curve_file.exists()
    assert 'alphazero' in folder.card_file.read_text()
    assert set(again.results) == {'x', 'o'}
    again.trainer.close()

    # With search it wins at once where it can, whatever the network says.
    agent = f'alphazero:{folder.path} playouts=64'
    assert play('tictactoe', (agent, 'random'), 40)['x'].wins >= 30
    weaker = AlphaZeroAgent(f'{folder.path}@1 playouts=4')
    assert len(weaker.levels()) >= 2
    environment = Environment.open(game_of('connect_four'))
    with pytest.raises(LearningError, match='trained on tictactoe'):
        weaker.begin(environment.info(), ('red',), 1)


def test_a_killed_run_reaches_the_same_place(tmp_path: Path) -> None:
    game = game_of('tictactoe')
    small = replace(
        config(24), lanes=8, snapshots=1, evaluation_games=2, final_games=2, checkpoint_every=6
    )
    whole = begin_run(game, small, tmp_path / 'whole')
    assert whole.run()

    killed = begin_run(game, small, tmp_path / 'killed')

    def kill(status: TrainingStatus) -> None:
        if status.episodes >= 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        killed.run(kill)
    again = resume_run(game, killed.folder)
    assert 6 <= again.trainer.episodes < 24
    # Games are in progress, and updates are owed to those that have ended.
    tree = again.trainer.to_tree()
    assert len(tree['games']['waiting'][0]) > 0
    assert tree['owed'] > 0
    assert again.run()
    ends = [run.trainer.to_tree() for run in (whole, again)]
    assert to_bytes(ends[0]) == to_bytes(ends[1])
    rows = [run.folder.read_metrics() for run in (whole, again)]
    for one, two in zip(*rows, strict=True):
        assert one | {'seconds': 0} == pytest.approx(two | {'seconds': 0}, nan_ok=True, rel=0)
    for run in (whole, again):
        run.trainer.close()


def test_what_it_cannot_play(tmp_path: Path) -> None:
    with pytest.raises(RunError, match='needs a run'):
        AlphaZeroAgent('playouts=3')
    with pytest.raises(RunError, match='no folder of a run'):
        AlphaZeroAgent(str(tmp_path))
    with pytest.raises(AgentError, match='either c or scale'):
        AlphaZeroAgent('runs/x scale=0')
    with pytest.raises(AgentError, match='hides something'):
        begin_run(game_of('krieg_tictactoe'), config(8), tmp_path)
    assert np.array_equal(list(tmp_path.iterdir()), [])
