"""Trains AlphaZero: games against itself in lanes, and a network that learns from them.

The root is that of Gumbel AlphaZero (Danihelka et al., 2022), playout caps are KataGo's (Wu,
2019). Departures from the papers: values are those of all players, so any number can play; what
search has proved is taken as it is; values are not rescaled in each node; some games begin with
random moves; one process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch

from gdl_agents.cluster.job_pool import InlinePool, JobPool
from gdl_agents.learning.actors.actor import PlayedCounts
from gdl_agents.learning.actors.rounds import ActorRounds
from gdl_agents.learning.actors.stretch import ActorSetup
from gdl_agents.learning.alphazero.actor import AlphaZeroActor
from gdl_agents.learning.alphazero.agent import EVALUATION_PLAYOUTS, AlphaZeroAgent
from gdl_agents.learning.alphazero.model import AlphaZeroModel
from gdl_agents.learning.alphazero.network_evaluator import NetworkEvaluator
from gdl_agents.learning.alphazero.policy_value_learner import PolicyValueLearner
from gdl_agents.learning.alphazero.self_play import RewardedGame, SearchedSelfPlay
from gdl_agents.learning.dqn.model import About, digest
from gdl_agents.learning.errors import ConfigError, RunError
from gdl_agents.learning.game_properties.game_traits import find_traits
from gdl_agents.learning.networks import Shape, open_network
from gdl_agents.learning.training.algorithm_options import check_applied
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.device import open_device
from gdl_agents.learning.training.evaluation import Arena, mean_reward, seat_agent
from gdl_agents.learning.training.goal_scale import check_goal_scale
from gdl_agents.learning.training.match_options import make_match_options
from gdl_agents.learning.training.milestone import Milestone
from gdl_agents.learning.training.run_budget import RunBudget
from gdl_agents.learning.training.trainer import Findings, TrainingStatus
from gdl_agents.players.draws import derive_seed
from gdl_agents.registry import open_agent
from gdl_agents.search.game.match_table import MatchTable
from gdl_agents.search.game.open_games import OpenGame
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.score import Score
from gdl_env.language.game import Game

_EVALUATION_LANES = 64


class AlphaZeroTrainer:
    """Runs training tick by tick: a tick is one decision in every lane."""

    def __init__(self, game: Game, config: TrainingConfig, pool: JobPool | None = None) -> None:
        """Open everything; actors, if there are any, play in the pool.

        Raises ConfigError if an option cannot be obeyed.
        """
        self.config = config
        self._pool = pool
        self.game = game
        self.budget = RunBudget(config)
        check_applied(config)
        check_goal_scale(config.reward)
        self._device = open_device(config.device)
        # Opened for its errors: the first evaluation would be late for them.
        open_agent(config.judge)
        torch.set_num_threads(config.threads)
        lanes = open_lanes(game, config.lanes, config.engine)
        if lanes.mapping is None:
            raise ConfigError(f'{game.name} has no vector form, and cannot be learned')
        match = make_match_options(config, config.lanes, config.seed)
        self.environment = Environment(lanes, match)
        self.info = self.environment.info()
        table = MatchTable(self.info, OpenGame(lanes.batch))
        self.roles = self.info.roles
        self.shape = Shape.of(game, lanes.mapping)
        self.spec = open_network(config.network, self.shape)
        symmetries = None
        if config.alphazero.symmetries:
            symmetries = find_traits(game, config.reward, shared=False).symmetries
        self._learner = PolicyValueLearner(
            self.spec,
            self.shape,
            len(self.roles),
            config.alphazero,
            config.seed,
            self._device,
            symmetries,
        )
        self._rounds: ActorRounds[list[RewardedGame]] | None = None
        if config.actors:
            setup = ActorSetup(AlphaZeroActor, game, config, {'spec': self.spec})
            self._rounds = ActorRounds(pool or InlinePool(), setup)
        evaluator = NetworkEvaluator(self._learner.inference, table)
        self._self_play = SearchedSelfPlay(
            self.environment, table, evaluator, config.seed, config.alphazero
        )
        self.arena = Arena(game, _EVALUATION_LANES, config.engine, config.max_steps, config.turn)
        self._rewards: list[float] = []
        self.score = float('nan')
        self._snapshots = Milestone(1 / config.snapshots)
        # The one learner plays all roles.
        self.learners = {'all': self._learner.network}

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
        reward = float(np.mean(self._rewards)) if self._rewards else float('nan')
        learner = self._learner
        loss = float(np.mean(learner.losses)) if learner.losses else float('nan')
        if is_row:
            learner.losses, self._rewards = [], []
        steps, decisions = self._counts.steps, learner.memory.count
        status = TrainingStatus(
            self.episodes, steps, decisions, learner.updates, reward, loss, 0.0, self.score
        )
        if self._rounds is None:
            return status
        return replace(status, lag=self._rounds.lag, repeated=self._rounds.repeated)

    def tick(self) -> dict[str, AlphaZeroModel] | None:
        """Play a decision in every lane, and learn; return snapshots that were taken."""
        for game in self._play():
            self._learner.add(game)
            self._rewards.append(float(game.reward[0]))
        self._learner.learn(self.progress)
        if self._snapshots.is_due(self.progress) or self.is_done:
            model = self.model()
            models = dict.fromkeys(self.roles, model)
            self.score = mean_reward(self.evaluate(self.config.evaluation_games, models))
            return {'all': model.with_about(reward=self.score)}
        return None

    def model(self) -> AlphaZeroModel:
        """Return what the network is now."""
        about = About(
            self.info.name, self.roles, 'alphazero', self.episodes, 0.0, digest(self.info)
        )
        return self._learner.model(about)

    def evaluate(self, games: int, models: Mapping[str, AlphaZeroModel]) -> dict[str, Score]:
        """Return how models, by role, fare against the judge of the options, by seat."""
        device = str(self._device)
        return self.arena.seat_in_turn(
            partial(_seat, models, device),
            games,
            derive_seed(self.config.seed, 'evaluation'),
            make_other=partial(seat_agent, self.config.judge),
            pool=self._pool,
        )

    def gather_findings(self, models: Mapping[str, AlphaZeroModel]) -> Findings:
        """Return what is certain of models: nothing, since their search draws lots."""
        return Findings()

    def close(self) -> None:
        """Release what is held."""
        if self._rounds is not None:
            self._rounds.drop()
        self.environment.close()
        self.arena.close()

    # ---- resuming later

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes."""
        return {
            **self._learner.to_tree(),
            'milestone': self._snapshots.count,
            'score': self.score,
            'means': [self._learner.losses, self._rewards],
            'games': (self._rounds or self._self_play).to_tree(),
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned, of the same game and options. Raises RunError."""
        if self._rounds is None and 'lengths' not in tree.get('games', {}):
            raise RunError(
                'the state of this run is from an earlier version of alphazero, which played and'
                ' learned otherwise: its snapshots can be played, but training must begin again'
            )
        self._learner.restore(tree)
        self._snapshots.count = tree['milestone']
        self.score = tree['score']
        self._learner.losses, self._rewards = tree['means']
        (self._rounds or self._self_play).restore(tree['games'])

    # ---- inside

    def _play(self) -> list[RewardedGame]:
        """Play a tick, or take what actors have played in a round; return games that ended."""
        if self._rounds is None:
            return self._self_play.tick()
        policy = dict(self._learner.network.state_dict())
        parts = self._rounds.play(policy, self._learner.updates)
        return [game for part in parts for game in part]

    @property
    def _counts(self) -> PlayedCounts:
        if self._rounds is not None:
            return self._rounds.counts
        tallies = self.environment.tallies
        return PlayedCounts(tallies.finished, tallies.steps)


def _seat(models: Mapping[str, AlphaZeroModel], device: str, role: str) -> AlphaZeroAgent:
    return AlphaZeroAgent.of(models[role], device, playouts=EVALUATION_PLAYOUTS)
