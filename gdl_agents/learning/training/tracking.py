"""Rows of metrics for programs that collect runs: MLflow and Weights & Biases.

Neither comes with this project: the option `track` names one that is installed. Where its server
is, and who logs in, is said as those programs want it (`MLFLOW_TRACKING_URI`, `WANDB_MODE`, …).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from gdl_agents.learning.training.state_file import write_file
from gdl_env.requirements import Package, require

# The file of a run that says under which name the program knows it.
_IDENTITY = 'tracked'


class MetricsTracker(Protocol):
    """Where rows of metrics go."""

    def add(self, step: int, row: Mapping[str, float]) -> None:
        """Add a row of numbers, after so many episodes."""

    def close(self) -> None:
        """Say that no more rows come."""


class _Mlflow:
    def __init__(self, folder: Path, options: Mapping[str, Any]) -> None:
        import mlflow

        self._client = mlflow.MlflowClient()
        known = folder / f'{_IDENTITY}.mlflow'
        if known.is_file():
            self._run = known.read_text('utf-8').strip()
            self._client.update_run(self._run, 'RUNNING')
            return
        experiment = mlflow.set_experiment(str(options['game']) or folder.parent.name)
        run = self._client.create_run(experiment.experiment_id, run_name=folder.name)
        self._run = run.info.run_id
        for name, value in options.items():
            self._client.log_param(self._run, name, value)
        write_file(known, self._run.encode())

    def add(self, step: int, row: Mapping[str, float]) -> None:
        for name, value in row.items():
            self._client.log_metric(self._run, name, value, step=step)

    def close(self) -> None:
        self._client.set_terminated(self._run)


class _WeightsAndBiases:
    def __init__(self, folder: Path, options: Mapping[str, Any]) -> None:
        import wandb

        known = folder / f'{_IDENTITY}.wandb'
        identity = known.read_text('utf-8').strip() if known.is_file() else None
        self._run = wandb.init(
            project=f'gdl-{options["game"] or folder.parent.name}'.replace('/', '-'),
            name=folder.name,
            id=identity,
            resume='allow' if identity else None,
            config=dict(options),
            dir=str(folder),
        )
        write_file(known, self._run.id.encode())

    def add(self, step: int, row: Mapping[str, float]) -> None:
        self._run.log({**row, 'episodes': step})

    def close(self) -> None:
        self._run.finish()


TRACKERS: Mapping[str, tuple[Package, Callable[[Path, Mapping[str, Any]], MetricsTracker]]] = {
    'mlflow': (Package('mlflow', 'MLflow', 'pip install mlflow'), _Mlflow),
    'wandb': (Package('wandb', 'Weights & Biases', 'pip install wandb'), _WeightsAndBiases),
}


def check_tracker(name: str) -> None:
    """Raise MissingPackageError if a program to collect runs is not installed."""
    if name:
        require(f'track={name}', TRACKERS[name][0])


def open_tracker(name: str, folder: Path, options: Mapping[str, Any]) -> MetricsTracker | None:
    """Begin or continue what a program knows of a run; '' is none."""
    return TRACKERS[name][1](folder, options) if name else None
