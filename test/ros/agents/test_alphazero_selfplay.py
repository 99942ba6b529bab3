"""AlphaZero learns on the graph: by its own games, and by those of its copy or of actors."""

from __future__ import annotations

from pathlib import Path
import subprocess
import sys

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('torch', reason='PyTorch is not installed')

from gdl_agents.learning.levels.reward_levels import list_snapshots
from gdl_agents.learning.training.run_folder import RunFolder

pytestmark = [pytest.mark.ros, pytest.mark.torch]

OPTIONS = ('--algorithm', 'alphazero', '--episodes', '240', '--seed', '3')
# What takes long in a test and shows nothing more.
QUICK = ('--set', 'playouts=12', '--set', 'warm_up=64', '--set', 'checkpoint_every=100')
QUICK += ('--set', 'levels=0')


def selfplay(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, '-m', 'gdl_env.cli.main', 'selfplay', 'tictactoe', *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=250,
    )


@pytest.mark.parametrize(
    'words',
    [
        (),
        pytest.param(('o:=copy',), marks=pytest.mark.slow),
        pytest.param(('actors:=2',), marks=pytest.mark.slow),
    ],
    ids=lambda words: ' '.join(words) or 'alone',
)
def test_a_run_that_can_be_played_from(
    own_domain: int, tmp_path: Path, words: tuple[str, ...]
) -> None:
    result = selfplay(tmp_path, *words, *OPTIONS, *QUICK, 'evaluate:=20')
    assert result.returncode == 0, result.stdout + result.stderr
    folder = RunFolder(tmp_path / 'runs/tictactoe/alphazero-ros-1')
    last = list_snapshots(folder)[-1].about
    assert (last.algorithm, last.roles) == ('alphazero', ('x', 'o'))
    assert last.episodes >= 240
    assert 'gdl eval tictactoe alphazero:runs/tictactoe/alphazero-ros-1' in result.stdout
    rows = folder.read_metrics()
    assert rows[-1]['updates'] > 0


@pytest.mark.slow
def test_another_agent_on_a_seat_is_refused(own_domain: int, tmp_path: Path) -> None:
    result = selfplay(tmp_path, 'o:=random', *OPTIONS)
    assert result.returncode == 1
    said = result.stdout + result.stderr
    assert 'learns how games end for all roles, and another agent plays o' in said
