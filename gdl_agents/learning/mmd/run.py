"""A run of mmd: the folder, metrics and snapshots of any other run."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from gdl_agents.learning.levels.reward_levels import list_levels, list_snapshots, strongest
from gdl_agents.learning.mmd.model import MmdModel
from gdl_agents.learning.mmd.trainer import MmdTrainer
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.curve import draw_curves
from gdl_agents.learning.training.model_card import write_card
from gdl_agents.learning.training.run_folder import RUNS, RunFolder
from gdl_agents.learning.training.state_file import write_file
from gdl_agents.learning.training.trainer import Trainer
from gdl_agents.learning.training.training_run import TrainingRun
from gdl_env.language.game import Game


class MmdRun(TrainingRun):
    """Trains until all episodes are played, or until `stop` is called."""

    def __init__(self, folder: RunFolder, trainer: MmdTrainer) -> None:
        self._trainer = trainer
        # It answers all that a run asks of a trainer.
        super().__init__(folder, cast(Trainer, trainer))

    def _finish(self) -> None:
        """Evaluate the strongest snapshot; draw the curve and write the card."""
        snapshots = list_snapshots(self.folder)
        model = MmdModel.load(strongest(snapshots).path)
        self.results = self._trainer.evaluate(self.config.final_games, model)
        self.findings = self._trainer.distance.describe(model)
        draw_curves([self.folder], self.folder.curve_file)
        card = write_card(
            str(self.folder.path),
            self.config,
            str(self._trainer.spec),
            self.results,
            list_levels(snapshots),
            self.findings,
        )
        write_file(self.folder.card_file, card.encode())


def begin_run(game: Game, config: TrainingConfig, runs: Path = RUNS) -> MmdRun:
    """Begin a new run."""
    # Opened first: a run that cannot begin leaves no folder.
    trainer = MmdTrainer(game, config)
    return MmdRun(RunFolder.create(config, runs), trainer)


def resume_run(game: Game, folder: RunFolder, *, is_trusted: bool = False) -> MmdRun:
    """Resume a run. Raises TrustError if it names code that was not run before."""
    config = folder.trusted_config(is_trusted=is_trusted)
    run = MmdRun(folder, MmdTrainer(game, config))
    run.resume()
    return run
