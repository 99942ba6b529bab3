"""A run from its first tick to its last, with everything that is kept of it on disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import cached_property
from math import isfinite, isnan, nan
from typing import Any, Generic, TypeVar

from gdl_agents.agent import Agent
from gdl_agents.cluster.job_pool import JobPool
from gdl_agents.learning.levels.calibration import calibrate_levels
from gdl_agents.learning.levels.ladder import list_run_levels
from gdl_agents.learning.levels.reward_levels import list_snapshots, strongest
from gdl_agents.learning.mmd.memory_trainer import MemoryTrainer
from gdl_agents.learning.nash_distance import NashDistance, needs_mixing
from gdl_agents.learning.trained_models import AnyModel, make_player, read_model
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.curve import draw_curves
from gdl_agents.learning.training.model_card import write_card
from gdl_agents.learning.training.run import TRAINER, Run
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_agents.learning.training.state_file import write_file
from gdl_agents.learning.training.trainer import Findings, Trainer, TrainingStatus
from gdl_agents.players.random import RandomAgent
from gdl_env.environment.score import Score

# Histories of a game at most for players of any algorithm to be measured by best responses.
_TREE_NODES = 100_000

# The trainer of an algorithm.
T = TypeVar('T', bound=Trainer[Any])


class TrainingRun(Run, Generic[T]):
    """Trains until all episodes are played, or until `stop` is called."""

    def __init__(self, folder: RunFolder, trainer: T, pool: JobPool | None = None) -> None:
        super().__init__(folder, trainer.config, TRAINER)
        self.trainer = trainer
        self._pool = pool
        self._is_stopped = False
        # How much best responses gain against the last snapshot, where the trainer does not say.
        self._exploitability = nan
        # By seat, of the strongest snapshot; filled when the run is done.
        self.results: dict[str, Score] = {}
        # Of the same.
        self.findings = Findings()

    def resume(self) -> None:
        """Go on from the last state that was written, if there is one. Raises RunError."""
        tree = self.load()
        if tree is not None:
            self.trainer.restore(tree)
            self.trainer.budget.seconds = self.seconds

    def stop(self) -> None:
        """End after the current tick; the state is written, and the run can resume later."""
        self._is_stopped = True

    def run(self, watch: Callable[[TrainingStatus], None] = lambda status: None) -> bool:
        """Train; return whether the run is done. `watch` is called now and then."""
        from tensorboardX import SummaryWriter

        trainer = self.trainer
        self.begin_metrics()
        board = SummaryWriter(
            str(self.folder.path / 'tensorboard'), purge_step=trainer.episodes, write_to_disk=True
        )
        try:
            while not trainer.is_done and not self._is_stopped:
                trainer.budget.seconds = self.seconds
                taken = self._measure(trainer.tick() or {})
                for name, model in taken.items():
                    self.folder.save_snapshot(name, model)
                if self.is_row_due(trainer.episodes) or taken or trainer.is_done:
                    self._write_row(board)
                if self.is_state_due(trainer.episodes):
                    self.save(trainer.to_tree())
                watch(trainer.status())
        finally:
            board.close()
            self.end_metrics()
        self.save(trainer.to_tree())
        if trainer.is_done:
            self._finish()
        return trainer.is_done

    # ---- inside

    @cached_property
    def _distance(self) -> NashDistance:
        """Return what measures players, in small games in which it pays to mix moves."""
        trainer, turn = self.trainer, self.config.turn
        # What a tree shows is by the mapping of the game.
        is_usual = self.config.mapping == TrainingConfig.mapping
        is_open = is_usual and not isinstance(trainer, MemoryTrainer)
        has_any = is_open and needs_mixing(trainer.game, turn)
        return NashDistance(trainer.game, turn, _TREE_NODES if has_any else 0)

    def _measure(self, taken: Mapping[str, AnyModel]) -> Mapping[str, AnyModel]:
        """Return the models of a snapshot with what best responses gain against them."""
        if not taken or any(isfinite(model.about.exploitability) for model in taken.values()):
            return taken
        roles = self.trainer.roles_of
        models = {role: model for name, model in taken.items() for role in roles(name)}
        gain = self._distance.nash_conv(lambda role: _seat(models.get(role)))
        self._exploitability = gain if isfinite(gain) else nan
        return {name: model.with_about(exploitability=gain) for name, model in taken.items()}

    def _write_row(self, board: Any) -> None:
        status = self.trainer.status(is_row=True)
        if isnan(status.exploitability):
            status = replace(status, exploitability=self._exploitability)
        row = self.add_row(asdict(status))
        for name, value in row.items():
            if not isnan(value) and name != 'episodes':
                board.add_scalar(f'training/{name}', value, row['episodes'])

    def _finish(self) -> None:
        """Evaluate the strongest snapshot; draw the curve and write the card."""
        models: dict[str, AnyModel] = {}
        for name in self.trainer.learners:
            role = self.trainer.roles_of(name)[0]
            model = read_model(strongest(list_snapshots(self.folder, role)).path)
            models.update(dict.fromkeys(self.trainer.roles_of(name), model))
        self.results = self.trainer.evaluate(self.config.final_games, models)
        self.findings = self.trainer.gather_findings(models)
        if not self.findings.others:
            told = self._distance.describe(lambda role: _seat(models.get(role)))
            self.findings = replace(self.findings, others=tuple(told))
        if self.config.levels:
            calibrate_levels(self.folder, self.trainer.game, self.config, self._pool)
        levels = list_run_levels(self.folder)
        draw_curves([self.folder], self.folder.curve_file)
        network = str(self.trainer.spec)
        # Time may end a run before its first episode does.
        played = replace(self.config, episodes=max(1, self.trainer.episodes))
        card = write_card(
            str(self.folder.path), played, network, self.results, levels, self.findings.sentences
        )
        write_file(self.folder.card_file, card.encode())


def _seat(model: AnyModel | None) -> Agent:
    """Return the player of a model; of a role that was not learned, a random one."""
    return RandomAgent() if model is None else make_player(model)
