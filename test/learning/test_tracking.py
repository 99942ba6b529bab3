"""Programs that collect runs get every row of metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

from gdl_agents.learning.errors import ConfigError
from gdl_agents.learning.training import tracking
from gdl_agents.learning.training.config_file import make_config
from gdl_agents.learning.training_runs import begin_run, resume_run
from gdl_env.cli.game_options import load
from gdl_env.requirements import MissingPackageError, Package

pytestmark = pytest.mark.torch


def configure(**changes: Any) -> Any:
    told = {'game': 'nim', 'name': 'mine', 'episodes': 60, 'lanes': 8, 'snapshots': 1}
    told |= {'evaluation_games': 4, 'final_games': 4, 'levels': 0, 'log_every': 20}
    return make_config(told, changes)


def test_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="no track 'mlflo'; known: mlflow, wandb"):
        configure(track='mlflo')
    missing = Package('mlflow_of_nobody', 'MLflow', 'pip install mlflow')
    monkeypatch.setitem(tracking.TRACKERS, 'mlflow', (missing, tracking.TRACKERS['mlflow'][1]))
    with pytest.raises(MissingPackageError, match='track=mlflow needs MLflow: pip install mlflow'):
        begin_run(load('nim'), configure(track='mlflow'), tmp_path)
    assert not list(tmp_path.iterdir())


def test_mlflow_has_the_rows_of_both_sittings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mlflow = pytest.importorskip('mlflow', reason='MLflow is not installed')
    monkeypatch.setenv('MLFLOW_TRACKING_URI', (tmp_path / 'tracked').as_uri())
    run = begin_run(load('nim'), configure(track='mlflow'), tmp_path)
    assert not run.run(lambda status: run.stop() if status.episodes >= 30 else None)
    again = resume_run(load('nim'), run.folder)
    assert again.run()
    client = mlflow.MlflowClient()
    experiment = client.get_experiment_by_name('nim')
    (kept,) = client.search_runs([experiment.experiment_id])
    assert kept.info.status == 'FINISHED' and kept.info.run_name == 'mine'
    assert kept.data.params['learning_rate'] == '0.002' and kept.data.params['game'] == 'nim'
    steps = [point.step for point in client.get_metric_history(kept.info.run_id, 'updates')]
    rows = [row['episodes'] for row in run.folder.read_metrics()]
    assert set(rows) <= set(steps) and len(rows) >= 3
