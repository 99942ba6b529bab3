"""Trains mmd: games against itself in lanes, and a policy that learns from them."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isinf, nan
from typing import Any

import numpy as np
import torch

from gdl_agents.learning.dqn.model import About, digest
from gdl_agents.learning.errors import ConfigError
from gdl_agents.learning.mmd.agent import MmdAgent
from gdl_agents.learning.mmd.collector import SequenceCollector
from gdl_agents.learning.mmd.learner import MmdLearner
from gdl_agents.learning.mmd.model import MmdModel
from gdl_agents.learning.mmd.nash_distance import NashDistance
from gdl_agents.learning.mmd.networks import build_critic, build_policy
from gdl_agents.learning.networks import Shape, open_network
from gdl_agents.learning.training.algorithm_options import check_applied
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.evaluation import LONGEST, Arena, mean_reward
from gdl_agents.learning.training.milestone import Milestone
from gdl_agents.learning.training.run_budget import RunBudget
from gdl_agents.learning.training.trainer import Findings, TrainingStatus
from gdl_agents.players.draws import derive_seed
from gdl_agents.registry import open_agent
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.options import Options
from gdl_env.environment.score import Score
from gdl_env.language.game import Game

_EVALUATION_LANES = 64


class MmdTrainer:
    """Runs training tick by tick: a tick is one decision in every lane.

    A trainer that is restored continues exactly as the one it was kept from would have.
    """

    def __init__(self, game: Game, config: TrainingConfig) -> None:
        """Open everything. Raises ConfigError if an option cannot be obeyed."""
        self.config = config
        self.game = game
        self.budget = RunBudget(config)
        check_applied(config)
        # Opened for its errors: the first evaluation would be late for them.
        open_agent(config.judge)
        torch.set_num_threads(config.threads)
        lanes = open_lanes(game, config.lanes, config.engine, config.mapping)
        if lanes.mapping is None:
            raise ConfigError(f'{game.name} has no vector form, and cannot be learned')
        match = Options(
            config.lanes,
            config.seed,
            max_steps=config.max_steps or LONGEST,
            reward=config.reward,
            turn=config.turn,
        )
        self.environment = Environment(lanes, match)
        self.info = self.environment.info()
        self.roles = self.info.roles
        self.shape = Shape.of(game, lanes.mapping)
        self.spec = open_network(config.network, self.shape)
        options = config.mmd
        self._collector = SequenceCollector(self.environment, config.seed, options.teams)
        players, seed = len(self.roles), derive_seed(config.seed, 'mmd')
        self._policy = build_policy(self.spec, self.shape, players, seed)
        entries = self._collector.state_entries
        critic = build_critic(entries, players, self.shape, options.critic_width, seed)
        self._learner = MmdLearner(self._policy, critic, options, config.seed)
        self.arena = Arena(
            game,
            _EVALUATION_LANES,
            config.engine,
            config.max_steps,
            config.turn,
            config.mapping,
        )
        # What a tree shows is by the mapping of the game.
        nodes = options.tree_nodes if config.mapping == TrainingConfig.mapping else 0
        self.distance = NashDistance(game, config.turn, nodes)
        self._decisions = 0
        self._losses: list[float] = []
        self.score, self._exploitability = nan, inf
        self._snapshots = Milestone(1 / config.snapshots)
        # The one learner plays all roles.
        self.learners = {'all': self._policy}

    # ---- what a run asks for

    @property
    def episodes(self) -> int:
        """Return the number of finished episodes."""
        return self.environment.tallies.finished

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
        rewards = self._collector.rewards
        reward = float(np.mean(rewards)) if rewards else nan
        loss = float(np.mean(self._losses)) if self._losses else nan
        if is_row:
            self._losses, self._collector.rewards = [], []
        return TrainingStatus(
            self.episodes,
            self.environment.tallies.steps,
            self._decisions,
            self._learner.updates,
            reward,
            loss,
            0.0,
            self.score,
            nan if isinf(self._exploitability) else self._exploitability,
        )

    def tick(self) -> dict[str, MmdModel] | None:
        """Play a decision in every lane, and learn; return snapshots that were taken."""
        self.advance(self.progress)
        if self._snapshots.is_due(self.progress) or self.is_done:
            model = self.model()
            models = dict.fromkeys(self.roles, model)
            self.score = mean_reward(self.evaluate(self.config.evaluation_games, models))
            self._exploitability = self.distance.nash_conv(model)
            return {
                'all': model.with_about(reward=self.score, exploitability=self._exploitability)
            }
        return None

    def advance(self, progress: float) -> None:
        """Play a decision in every lane, and learn from a batch that is full.

        - progress: how much of all training is over [0 to 1]
        """
        self._collector.tick(self._policy)
        if self._collector.waiting >= self.config.mmd.batch:
            games = self._collector.take()
            self._decisions += games.decisions
            self._losses.append(self._learner.learn(games, min(1.0, progress)))

    def model(self) -> MmdModel:
        """Return what the magnet is now: what the policy was lately."""
        magnet = self._learner.magnet.state_dict()
        weights = {name: value.detach().clone() for name, value in magnet.items()}
        about = About(self.info.name, self.roles, 'mmd', self.episodes, 0.0, digest(self.info))
        return MmdModel(self.spec, self.shape, self.roles, weights, about)

    def evaluate(self, games: int, models: Mapping[str, MmdModel]) -> dict[str, Score]:
        """Return how models, by role, fare against the judge of the options, by seat."""
        return self.arena.seat_in_turn(
            lambda role: MmdAgent.of(models[role]),
            games,
            derive_seed(self.config.seed, 'evaluation'),
            make_other=lambda role: open_agent(self.config.judge),
        )

    def gather_findings(self, models: Mapping[str, MmdModel]) -> Findings:
        """Return how much best responses gain against a model, in games that are small enough."""
        # One policy plays all roles.
        return Findings(others=tuple(self.distance.describe(models[self.roles[0]])))

    def close(self) -> None:
        """Release what is held."""
        self.environment.close()
        self.arena.close()

    # ---- resuming later

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes."""
        return {
            'learner': self._learner.to_tree(),
            'games': self._collector.to_tree(),
            'decisions': self._decisions,
            'milestone': self._snapshots.count,
            'scores': [self.score, self._exploitability],
            'losses': list(self._losses),
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned, of the same game and options."""
        self._learner.restore(tree['learner'])
        self._collector.restore(tree['games'])
        self._decisions = tree['decisions']
        self._snapshots.count = tree['milestone']
        self.score, self._exploitability = tree['scores']
        self._losses = list(tree['losses'])
