"""What trainers of players that remember have in common: the match, evaluation, snapshots."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import partial
from math import inf, isinf, nan
from typing import Any, ClassVar, Generic

import numpy as np

from gdl_agents.cluster.job_pool import InlinePool, JobPool
from gdl_agents.learning.actors.rounds import ActorRounds
from gdl_agents.learning.actors.stretch import ActorSetup
from gdl_agents.learning.dqn.model import About, digest
from gdl_agents.learning.mmd.acted_sequences import ActedSequences
from gdl_agents.learning.mmd.actor import SequenceActor
from gdl_agents.learning.mmd.agent import MmdAgent
from gdl_agents.learning.mmd.model import M
from gdl_agents.learning.nash_distance import NashDistance
from gdl_agents.learning.networks import open_network
from gdl_agents.learning.training.algorithm_options import check_applied
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.evaluation import LONGEST, count_games, mean_reward
from gdl_agents.learning.training.match_trainer import ALL, MatchTrainer
from gdl_agents.learning.training.trainer import Findings, TrainingStatus
from gdl_agents.players.draws import derive_seed
from gdl_env.environment.score import Score
from gdl_env.language.game import Game


class MemoryTrainer(MatchTrainer, ABC, Generic[M]):
    """Runs training tick by tick, and measures the one policy that plays all roles."""

    # What plays its models.
    agents: ClassVar[type[MmdAgent]]

    def __init__(
        self,
        game: Game,
        config: TrainingConfig,
        tree_nodes: int,
        actor: type[SequenceActor],
        pool: JobPool | None,
    ) -> None:
        """Open everything. Raises ConfigError if an option cannot be obeyed.

        - tree_nodes: histories of a game at most for its exploitability to be measured
        - actor, pool: who plays, if there are actors, and where
        """
        check_applied(config)
        super().__init__(game, config, config.max_steps or LONGEST, pool)
        self.spec = open_network(config.network, self.shape)
        # What a tree shows is by the mapping of the game.
        nodes = tree_nodes if config.mapping == TrainingConfig.mapping else 0
        self.distance = NashDistance(game, config.turn, nodes)
        self._acted: ActedSequences | None = None
        if config.actors:
            setup = ActorSetup(actor, game, config, {'spec': self.spec})
            self._rounds = ActorRounds(pool or InlinePool(), setup)
            self._acted = ActedSequences(self._rounds, lambda: self.updates)
        self._decisions = 0
        # Since the last row of metrics.
        self._losses: list[float] = []
        self._exploitability = inf

    # ---- what an algorithm does

    @property
    @abstractmethod
    def learners(self) -> Mapping[str, object]:
        """Return the one learner, `all`, which plays all roles."""

    @property
    @abstractmethod
    def updates(self) -> int:
        """Return the steps of the optimiser so far."""

    @property
    def steps(self) -> int:
        """Return the steps of all games so far."""
        return self._counts.steps

    @abstractmethod
    def take_rewards(self, *, is_row: bool) -> list[float]:
        """Return what the first role got in games since the last row; forget it with a row."""

    @abstractmethod
    def advance(self, progress: float) -> None:
        """Train a little, at a share of all training [0 to 1]."""

    @abstractmethod
    def model(self) -> M:
        """Return what was learned so far."""

    # ---- what a run asks for

    def status(self, *, is_row: bool = False) -> TrainingStatus:
        """Return how far training is; with `is_row` means begin again."""
        rewards = self.take_rewards(is_row=is_row)
        reward = float(np.mean(rewards)) if rewards else nan
        loss = float(np.mean(self._losses)) if self._losses else nan
        if is_row:
            self._losses = []
        return TrainingStatus(
            self.episodes,
            self.steps,
            self._decisions,
            self.updates,
            reward,
            loss,
            0.0,
            self.score,
            nan if isinf(self._exploitability) else self._exploitability,
            self._rounds.lag if self._rounds else nan,
            self._rounds.repeated if self._rounds else nan,
        )

    def tick(self) -> dict[str, M] | None:
        """Train a little; return snapshots that were taken."""
        self.advance(self.progress)
        if self.snapshots.is_due(self.progress) or self.is_done:
            model = self.model()
            models = dict.fromkeys(self.roles, model)
            scores = self.evaluate(self.config.evaluation_games, models)
            self.score = mean_reward(scores)
            self._exploitability = self.distance.nash_conv(lambda role: self.agents.of(model))
            model = model.with_about(reward=self.score, games=count_games(scores))
            return {ALL: model.with_about(exploitability=self._exploitability)}
        return None

    def evaluate(self, games: int, models: Mapping[str, M]) -> dict[str, Score]:
        """Return how models, by role, fare against the judge of the options, by seat."""
        return self.meet_judge(
            partial(_seat, self.agents, models),
            games,
            derive_seed(self.config.seed, 'evaluation'),
        )

    def gather_findings(self, models: Mapping[str, M]) -> Findings:
        """Return how much best responses gain against models, in games that are small enough."""
        told = self.distance.describe(lambda role: self.agents.of(models[role]))
        return Findings(others=tuple(told))

    def about(self, algorithm: str) -> About:
        """Return what is to be known of a model."""
        return About(self.info.name, self.roles, algorithm, self.episodes, 0.0, digest(self.info))

    # ---- resuming later

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes."""
        return {
            'decisions': self._decisions,
            'milestone': self.snapshots.count,
            'scores': [self.score, self._exploitability],
            'losses': list(self._losses),
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned, of the same game and options."""
        self._decisions = tree['decisions']
        self.snapshots.count = tree['milestone']
        self.score, self._exploitability = tree['scores']
        self._losses = list(tree['losses'])


def _seat(kind: type[MmdAgent], models: Mapping[str, Any], role: str) -> MmdAgent:
    return kind.of(models[role])
