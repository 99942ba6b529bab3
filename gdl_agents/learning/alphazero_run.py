"""A run of AlphaZero: the folder, metrics and snapshots of any other run."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from gdl_agents.learning.alphazero_model import AlphaZeroModel
from gdl_agents.learning.alphazero_trainer import AlphaZeroTrainer
from gdl_agents.learning.card import write_card
from gdl_agents.learning.config import TrainingConfig
from gdl_agents.learning.curve import draw_curves
from gdl_agents.learning.levels import list_levels, list_snapshots, strongest
from gdl_agents.learning.run_folder import RUNS, RunFolder
from gdl_agents.learning.state_file import write_file
from gdl_agents.learning.trainer import Trainer
from gdl_agents.learning.training_run import TrainingRun
from gdl_env.language.game import Game

# Search makes games dear: evaluations at the end have this many at most.
_FINAL_GAMES = 200


class AlphaZeroRun(TrainingRun):
    """Trains until all episodes are played, or until `stop` is called."""

    def __init__(self, folder: RunFolder, trainer: AlphaZeroTrainer) -> None:
        self._trainer = trainer
        # It answers all that a run asks of a trainer.
        super().__init__(folder, cast(Trainer, trainer))

    def _finish(self) -> None:
        """Evaluate the strongest snapshot; draw the curve and write the card."""
        snapshots = list_snapshots(self.folder)
        model = AlphaZeroModel.load(strongest(snapshots).path)
        games = min(self.config.final_games, _FINAL_GAMES)
        self.results = self._trainer.evaluate(games, model)
        draw_curves([self.folder], self.folder.curve_file)
        card = write_card(
            str(self.folder.path),
            self.config,
            str(self._trainer.spec),
            self.results,
            list_levels(snapshots),
            [],
        )
        write_file(self.folder.card_file, card.encode())


def begin_run(game: Game, config: TrainingConfig, runs: Path = RUNS) -> AlphaZeroRun:
    """Begin a new run."""
    # Opened first: a run that cannot begin leaves no folder.
    trainer = AlphaZeroTrainer(game, config)
    return AlphaZeroRun(RunFolder.create(config, runs), trainer)


def resume_run(game: Game, folder: RunFolder) -> AlphaZeroRun:
    """Go on with a run."""
    run = AlphaZeroRun(folder, AlphaZeroTrainer(game, folder.config))
    run.resume()
    return run
