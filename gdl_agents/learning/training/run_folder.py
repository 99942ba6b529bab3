"""The folder of a run: its options, metrics, snapshots, the state to resume from, the card."""

from __future__ import annotations

from collections.abc import Mapping
import csv
import io
from pathlib import Path
from typing import Any

from gdl_agents.learning.alphazero.model import AlphaZeroModel
from gdl_agents.learning.dqn.model import Model
from gdl_agents.learning.errors import RunError
from gdl_agents.learning.mmd.model import MmdModel
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.config_file import read_run_config, to_yaml
from gdl_agents.learning.training.state_file import load_tree, save_tree, write_file
from gdl_agents.learning.training.trust import check_code, remember_code
from gdl_env.language.families.designation import Designation

RUNS = Path('runs')

METRICS = (
    'episodes',
    'steps',
    'decisions',
    'updates',
    'reward',
    'loss',
    'epsilon',
    'score',
    'exploitability',
    'seconds',
    # Of a learner on the graph: steps of others that it missed, and how old their policy is.
    'lost',
    'lag',
    # Of actors: parts of rounds that were played again, since their worker was lost.
    'repeated',
)


class RunFolder:
    """Paths and files of one run; everything is written whole or not at all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config_file = path / 'config.yaml'
        # The options that were derived from the game, with their reasons.
        self.training_file = path / 'training.yaml'
        self.metrics_file = path / 'metrics.csv'
        self.state_file = path / 'state.npz'
        self.snapshots = path / 'snapshots'
        self.curve_file = path / 'learning_curve.png'
        # Players of the run with their ratings.
        self.levels_file = path / 'levels.yaml'
        self.card_file = path / 'README.md'
        # What a search found.
        self.network_file = path / 'network.yaml'

    @classmethod
    def create(cls, config: TrainingConfig, root: Path = RUNS) -> RunFolder:
        """Make the folder of a new run. Raises RunError if it is taken.

        Code that the options name is remembered: the run can resume without being trusted again.
        """
        parent = root / Designation.read(config.game).file_name
        name = config.name
        if not name:
            start = f'{config.algorithm}-{config.mode.partition(":")[0]}'
            number = 1
            while (parent / f'{start}-{number}').exists():
                number += 1
            name = f'{start}-{number}'
        if Path(name).name != name or name in {'.', '..'}:
            raise RunError(f'{name!r} cannot be the name of a run')
        run = cls(parent / name)
        if run.path.exists() and any(run.path.iterdir()):
            raise RunError(
                f'{run.path} exists already: resume it with --resume, or give another --name'
            )
        try:
            run.snapshots.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f'{run.path} cannot be made: {error.strerror}') from error
        run.write_config(config)
        remember_code(run.config_file, config)
        return run

    @classmethod
    def open(cls, path: Path | str) -> RunFolder:
        """Open the folder of a run: a path, or `game/name` below runs/. Raises RunError."""
        for candidate in (Path(path), RUNS / path):
            if (candidate / 'config.yaml').is_file():
                return cls(candidate)
        raise RunError(f'{path} is no folder of a run (there is no config.yaml in it)')

    @property
    def config(self) -> TrainingConfig:
        """Return the options of the run, to be read: see `trusted_config`. Raises ConfigError."""
        return read_run_config(self.config_file)

    def trusted_config(self, *, is_trusted: bool = False) -> TrainingConfig:
        """Return the options of the run, to train by them.

        Raises TrustError if they name code that was not run with this run before, unless the user
        trusts it; ConfigError.
        """
        config = self.config
        check_code(self.config_file, config, is_trusted=is_trusted)
        return config

    def write_config(self, config: TrainingConfig) -> None:
        """Write the options of the run."""
        write_file(self.config_file, to_yaml(config).encode())

    def write_training(self, text: str) -> None:
        """Write the options that were derived from the game."""
        write_file(self.training_file, text.encode())

    # ---- metrics

    def write_metrics(self, rows: list[Mapping[str, object]]) -> None:
        """Write all rows: a run that resumes drops those after its last state."""
        stream = io.StringIO()
        writer = csv.DictWriter(stream, METRICS, lineterminator='\n')
        writer.writeheader()
        writer.writerows(rows)
        write_file(self.metrics_file, stream.getvalue().encode())

    def add_metrics(self, row: Mapping[str, object]) -> None:
        """Add a row."""
        with self.metrics_file.open('a', encoding='utf-8', newline='') as stream:
            csv.DictWriter(stream, METRICS, lineterminator='\n').writerow(row)

    def read_metrics(self) -> list[dict[str, float]]:
        """Return the rows that are whole. Raises RunError."""
        try:
            with self.metrics_file.open(encoding='utf-8', newline='') as stream:
                reader = csv.DictReader(stream)
                rows = list(reader)
        except OSError as error:
            raise RunError(f'{self.metrics_file} cannot be read: {error.strerror}') from error
        found = []
        # Runs of earlier versions have fewer.
        columns = set(reader.fieldnames or ())
        for row in rows:
            try:
                known = {name: float(row[name] or 'nan') for name in METRICS if name in columns}
                found.append(dict.fromkeys(METRICS, float('nan')) | known)
            except (KeyError, TypeError, ValueError):
                # The run was killed in the middle of this row, or is writing it now.
                continue
        return found

    # ---- states and snapshots

    def save_state(self, tree: dict[str, Any]) -> None:
        """Write the state to resume from."""
        save_tree(self.state_file, tree)

    def load_state(self) -> dict[str, Any] | None:
        """Return the state to resume from; None if none was written yet. Raises RunError."""
        if not self.state_file.exists():
            return None
        found: dict[str, Any] = load_tree(self.state_file)
        return found

    def save_snapshot(self, learner: str, model: Model | AlphaZeroModel | MmdModel) -> Path:
        """Write a snapshot of a learner; its name says when it was taken."""
        path = self.snapshot_file(learner, model.about.episodes)
        model.save(path)
        return path

    def snapshot_file(self, learner: str, episodes: int) -> Path:
        """Return the file of a snapshot."""
        return self.snapshots / f'{learner}_{episodes:09d}.npz'
