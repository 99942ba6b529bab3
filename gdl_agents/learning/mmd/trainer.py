"""Trains mmd: games against itself in lanes, and a policy that learns from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gdl_agents.cluster.job_pool import JobPool
from gdl_agents.learning.mmd.actor import MmdActor
from gdl_agents.learning.mmd.agent import MmdAgent
from gdl_agents.learning.mmd.collector import SequenceCollector
from gdl_agents.learning.mmd.learner import MmdLearner
from gdl_agents.learning.mmd.memory_trainer import MemoryTrainer
from gdl_agents.learning.mmd.model import MmdModel
from gdl_agents.learning.mmd.networks import build_critic, build_policy
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.players.draws import derive_seed
from gdl_env.language.game import Game


class MmdTrainer(MemoryTrainer[MmdModel]):
    """Runs training tick by tick: a tick is one decision in every lane."""

    agents = MmdAgent

    def __init__(self, game: Game, config: TrainingConfig, pool: JobPool | None = None) -> None:
        """Open everything. Raises ConfigError if an option cannot be obeyed."""
        super().__init__(game, config, config.mmd.tree_nodes, MmdActor, pool)
        options = config.mmd
        own = SequenceCollector(self.environment, config.seed, options.teams)
        self._collector = self._acted or own
        players, seed = len(self.roles), derive_seed(config.seed, 'mmd')
        self._policy = build_policy(self.spec, self.shape, players, seed)
        critic = build_critic(own.state_entries, players, self.shape, options.critic_width, seed)
        self._learner = MmdLearner(self._policy, critic, options, config.seed)

    @property
    def learners(self) -> Mapping[str, object]:
        """Return the one learner, which plays all roles."""
        return {'all': self._policy}

    @property
    def updates(self) -> int:
        """Return the steps of the optimiser so far."""
        return self._learner.updates

    def take_rewards(self, *, is_row: bool) -> list[float]:
        """Return what the first role got in games since the last row; forget it with a row."""
        return self._collector.take_rewards(is_row=is_row)

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
        return MmdModel(self.spec, self.shape, self.roles, weights, self.about('mmd'))

    # ---- resuming later

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes."""
        return {
            **super().to_tree(),
            'learner': self._learner.to_tree(),
            'games': self._collector.to_tree(),
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned, of the same game and options."""
        super().restore(tree)
        self._learner.restore(tree['learner'])
        self._collector.restore(tree['games'])
