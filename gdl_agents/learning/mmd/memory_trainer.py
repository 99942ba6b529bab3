"""What trainers of players that remember have in common: the match, evaluation, snapshots."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import partial
from math import inf, isinf, nan
from typing import Any, ClassVar, Generic

import numpy as np
import torch

from gdl_agents.cluster.job_pool import InlinePool, JobPool
from gdl_agents.learning.actors.actor import PlayedCounts
from gdl_agents.learning.actors.rounds import ActorRounds
from gdl_agents.learning.actors.stretch import ActorSetup
from gdl_agents.learning.dqn.model import About, digest
from gdl_agents.learning.errors import ConfigError
from gdl_agents.learning.mmd.acted_sequences import ActedSequences
from gdl_agents.learning.mmd.actor import PlayedSequences, SequenceActor
from gdl_agents.learning.mmd.agent import MmdAgent
from gdl_agents.learning.mmd.model import M
from gdl_agents.learning.nash_distance import NashDistance
from gdl_agents.learning.networks import Shape, open_network
from gdl_agents.learning.training.algorithm_options import check_applied
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.evaluation import Arena, mean_reward, seat_agent
from gdl_agents.learning.training.match_options import make_match_options
from gdl_agents.learning.training.milestone import Milestone
from gdl_agents.learning.training.run_budget import RunBudget
from gdl_agents.learning.training.trainer import Findings, TrainingStatus
from gdl_agents.players.draws import derive_seed
from gdl_agents.registry import open_agent
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.score import Score
from gdl_env.language.game import Game

_EVALUATION_LANES = 64


class MemoryTrainer(ABC, Generic[M]):
    """Runs training tick by tick, and measures the one policy that plays all roles.

    A trainer that is restored continues exactly as the one it was kept from would have.
    """

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
        self.config = config
        self._pool = pool
        self.game = game
        self.budget = RunBudget(config)
        check_applied(config)
        # Opened for its errors: the first evaluation would be late for them.
        open_agent(config.judge)
        torch.set_num_threads(config.threads)
        lanes = open_lanes(game, config.lanes, config.engine, config.mapping)
        if lanes.mapping is None:
            raise ConfigError(f'{game.name} has no vector form, and cannot be learned')
        match = make_match_options(config, config.lanes, config.seed)
        self.environment = Environment(lanes, match)
        self.info = self.environment.info()
        self.roles = self.info.roles
        self.shape = Shape.of(game, lanes.mapping)
        self.spec = open_network(config.network, self.shape)
        self.arena = Arena(
            game,
            _EVALUATION_LANES,
            config.engine,
            config.max_steps,
            config.turn,
            config.mapping,
        )
        # What a tree shows is by the mapping of the game.
        nodes = tree_nodes if config.mapping == TrainingConfig.mapping else 0
        self.distance = NashDistance(game, config.turn, nodes)
        self._acted: ActedSequences | None = None
        self._rounds: ActorRounds[PlayedSequences] | None = None
        if config.actors:
            setup = ActorSetup(actor, game, config, {'spec': self.spec})
            self._rounds = ActorRounds(pool or InlinePool(), setup)
            self._acted = ActedSequences(self._rounds, lambda: self.updates)
        self._decisions = 0
        # Since the last row of metrics.
        self._losses: list[float] = []
        self.score, self._exploitability = nan, inf
        self._snapshots = Milestone(1 / config.snapshots)

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

    @property
    def episodes(self) -> int:
        """Return the number of finished episodes."""
        return self._counts.episodes

    @property
    def progress(self) -> float:
        """Return how much of the training is done [0 to 1]."""
        return self.budget.progress(self.episodes)

    @property
    def is_done(self) -> bool:
        """Tell whether the budget is spent."""
        return self.budget.is_spent(self.episodes)

    def roles_of(self, name: str) -> tuple[str, ...]:
        """Return the roles of a learner."""
        return self.roles

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
        if self._snapshots.is_due(self.progress) or self.is_done:
            model = self.model()
            models = dict.fromkeys(self.roles, model)
            self.score = mean_reward(self.evaluate(self.config.evaluation_games, models))
            self._exploitability = self.distance.nash_conv(lambda role: self.agents.of(model))
            return {
                'all': model.with_about(reward=self.score, exploitability=self._exploitability)
            }
        return None

    def evaluate(self, games: int, models: Mapping[str, M]) -> dict[str, Score]:
        """Return how models, by role, fare against the judge of the options, by seat."""
        return self.arena.seat_in_turn(
            partial(_seat, self.agents, models),
            games,
            derive_seed(self.config.seed, 'evaluation'),
            make_other=partial(seat_agent, self.config.judge),
            pool=self._pool,
        )

    def gather_findings(self, models: Mapping[str, M]) -> Findings:
        """Return how much best responses gain against models, in games that are small enough."""
        told = self.distance.describe(lambda role: self.agents.of(models[role]))
        return Findings(others=tuple(told))

    def about(self, algorithm: str) -> About:
        """Return what is to be known of a model."""
        return About(self.info.name, self.roles, algorithm, self.episodes, 0.0, digest(self.info))

    def close(self) -> None:
        """Release what is held."""
        if self._rounds is not None:
            self._rounds.drop()
        self.environment.close()
        self.arena.close()

    @property
    def _counts(self) -> PlayedCounts:
        """Return what was played so far, here or by actors."""
        if self._rounds is not None:
            return self._rounds.counts
        tallies = self.environment.tallies
        return PlayedCounts(tallies.finished, tallies.steps)

    # ---- resuming later

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes."""
        return {
            'decisions': self._decisions,
            'milestone': self._snapshots.count,
            'scores': [self.score, self._exploitability],
            'losses': list(self._losses),
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned, of the same game and options."""
        self._decisions = tree['decisions']
        self._snapshots.count = tree['milestone']
        self.score, self._exploitability = tree['scores']
        self._losses = list(tree['losses'])


def _seat(kind: type[MmdAgent], models: Mapping[str, Any], role: str) -> MmdAgent:
    return kind.of(models[role])
