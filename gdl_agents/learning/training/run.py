"""What is kept of training, wherever its games are played: metrics, and the state to resume from.

`gdl train` plays them itself (`training_run.py`); a learner on the graph has an environment play
them (`gdl_agents/ros/learning/learner_run.py`). Both keep the same files.
"""

from __future__ import annotations

from math import isnan
from time import monotonic
from typing import Any

from gdl_agents.learning.errors import RunError
from gdl_agents.learning.training.algorithm_options import list_options
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.config_file import flatten
from gdl_agents.learning.training.milestone import Milestone
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_agents.learning.training.tracking import MetricsTracker, open_tracker

# Who plays the games, as the key of its part of the state, and the command that resumes it.
TRAINER = 'trainer'
LEARNER = 'learner'
_COMMANDS = {TRAINER: 'gdl train --resume', LEARNER: 'gdl selfplay --run'}


class Run:
    """The files of one run, and when they are due."""

    def __init__(self, folder: RunFolder, config: TrainingConfig, kind: str) -> None:
        self.folder = folder
        self.config = config
        self._kind = kind
        self._log = Milestone(config.log_every)
        self._checkpoint = Milestone(config.checkpoint_every)
        self._rows: list[dict[str, Any]] = []
        # Of earlier sittings.
        self._seconds = 0.0
        self._start = monotonic()
        self._tracker: MetricsTracker | None = None

    @property
    def seconds(self) -> float:
        """Return the time that training took, earlier sittings included."""
        return self._seconds + monotonic() - self._start

    def is_row_due(self, episodes: int) -> bool:
        """Tell whether a row of metrics is to be written."""
        return self._log.is_due(episodes)

    def is_state_due(self, episodes: int) -> bool:
        """Tell whether the state is to be written."""
        return self._checkpoint.is_due(episodes)

    def skip_to(self, episodes: int) -> None:
        """Begin after episodes of which nothing but the weights is known."""
        self._log.is_due(episodes)
        self._checkpoint.is_due(episodes)

    def load(self) -> Any | None:
        """Return what was given to `save` last; None if that was nothing. Raises RunError."""
        tree = self.folder.load_state()
        if tree is None:
            return None
        if self._kind not in tree:
            command = next((c for kind, c in _COMMANDS.items() if kind in tree), '')
            raise RunError(f'{self.folder.path} is resumed by: {command} {self.folder.path}')
        self._log.count, self._checkpoint.count = tree['milestones']
        self._rows = tree['rows']
        self._seconds = tree['seconds']
        return tree[self._kind]

    def save(self, tree: Any) -> None:
        """Write the state to resume from. Raises RunError."""
        self.folder.save_state(
            {
                self._kind: tree,
                'milestones': [self._log.count, self._checkpoint.count],
                'rows': self._rows,
                'seconds': self.seconds,
            }
        )

    def begin_metrics(self) -> None:
        """Write the rows that belong to the state: what came after it is learned again.

        The time that training takes counts from here.
        """
        self._start = monotonic()
        self.folder.write_metrics(list(self._rows))
        options = {
            name: value
            for name, value in flatten(self.config).items()
            if name in list_options(self.config.algorithm)
        }
        self._tracker = open_tracker(self.config.track, self.folder.path, options)

    def add_row(self, row: dict[str, Any]) -> dict[str, Any]:
        """Add a row to the metrics; return it, with the time that training took."""
        row = {**row, 'seconds': round(self.seconds, 1)}
        shown = {name: '' if isnan(value) else value for name, value in row.items()}
        self._rows.append(shown)
        self.folder.add_metrics(shown)
        if self._tracker is not None:
            numbers = {name: value for name, value in row.items() if not isnan(value)}
            self._tracker.add(int(row['episodes']), numbers)
        return row

    def end_metrics(self) -> None:
        """Say that no more rows come."""
        if self._tracker is not None:
            self._tracker.close()
            self._tracker = None
