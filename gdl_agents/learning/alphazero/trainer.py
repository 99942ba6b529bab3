"""Trains AlphaZero: games against itself in lanes, and a network that learns from them.

The root is that of Gumbel AlphaZero (Danihelka et al., 2022), playout caps are KataGo's (Wu,
2019). Departures from the papers: values are those of all players, so any number can play; what
search has proved is taken as it is; values are not rescaled in each node; some games begin with
random moves; one process.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
import torch
from torch import Tensor
from torch.nn import functional

from gdl_agents.learning.alphazero.agent import AlphaZeroAgent
from gdl_agents.learning.alphazero.inference import Inference
import gdl_agents.learning.alphazero.light_network  # noqa: F401 - a name among generators
from gdl_agents.learning.alphazero.memory import Memory
from gdl_agents.learning.alphazero.model import (
    AlphaZeroModel,
    build_policy_value,
    use_channels_last,
)
from gdl_agents.learning.alphazero.network_evaluator import NetworkEvaluator
from gdl_agents.learning.alphazero.self_play import SearchedSelfPlay
from gdl_agents.learning.dqn.model import About, digest
from gdl_agents.learning.errors import ConfigError, RunError
from gdl_agents.learning.game_properties.game_traits import find_traits
from gdl_agents.learning.game_properties.symmetry import Symmetries
from gdl_agents.learning.networks import Shape, open_network
from gdl_agents.learning.training.algorithm_options import check_applied
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.device import open_device
from gdl_agents.learning.training.evaluation import LONGEST, Arena, mean_reward
from gdl_agents.learning.training.goal_scale import check_goal_scale
from gdl_agents.learning.training.milestone import Milestone
from gdl_agents.learning.training.trainer import TrainingStatus
from gdl_agents.players.draws import derive_seed
from gdl_agents.registry import open_agent
from gdl_agents.search.game.match_table import MatchTable
from gdl_agents.search.game.open_games import OpenGame
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.options import Options
from gdl_env.environment.score import Score
from gdl_env.language.game import Game

# Evaluations search less than players.
_EVALUATION_PLAYOUTS = 16
_EVALUATION_LANES = 64


class AlphaZeroTrainer:
    """Runs training tick by tick: a tick is one decision in every lane."""

    def __init__(self, game: Game, config: TrainingConfig) -> None:
        """Open everything. Raises ConfigError if an option cannot be obeyed."""
        self.config = config
        check_applied(config)
        check_goal_scale(config.reward)
        self._device = open_device(config.device)
        # Opened for its errors: the first evaluation would be late for them.
        open_agent(config.judge)
        torch.set_num_threads(config.threads)
        lanes = open_lanes(game, config.lanes, config.engine)
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
        table = MatchTable(self.info, OpenGame(lanes.batch))
        self.roles = self.info.roles
        self.shape = Shape.of(game, lanes.mapping)
        self.spec = open_network(config.network, self.shape)
        seed = derive_seed(config.seed, 'alphazero')
        players = len(self.roles)
        self._network = build_policy_value(self.spec, self.shape, players, seed)
        self._network.to(self._device)
        use_channels_last(self._network)
        options = self._options = config.alphazero
        self._optimiser = torch.optim.AdamW(
            self._network.parameters(),
            lr=options.learning_rate,
            weight_decay=options.weight_decay,
        )
        self._inference = Inference(self._network, options.precision)
        evaluator = NetworkEvaluator(self._inference, table)
        self._self_play = SearchedSelfPlay(
            self.environment, table, evaluator, config.seed, options
        )
        seen, actions = self.shape.observation_size, self.shape.action_size
        self._memory = Memory.empty(options.capacity, seen, actions, players)
        self._symmetries = Symmetries.none(seen, actions)
        if options.symmetries:
            traits = find_traits(game, config.reward, shared=False)
            self._symmetries = traits.symmetries or self._symmetries
        self.arena = Arena(game, _EVALUATION_LANES, config.engine, config.max_steps, config.turn)
        self._updates = 0
        self._owed = 0.0
        self._losses: list[float] = []
        self._rewards: list[float] = []
        self.score = float('nan')
        self._snapshots = Milestone(config.episodes / config.snapshots)
        # The one learner plays all roles.
        self.learners = {'all': self._network}

    # ---- what a run asks for

    @property
    def episodes(self) -> int:
        """Return the number of finished episodes."""
        return self.environment.tallies.finished

    @property
    def is_done(self) -> bool:
        """Tell whether all episodes have been played."""
        return self.episodes >= self.config.episodes

    def roles_of(self, name: str) -> tuple[str, ...]:
        """Return the roles of a learner."""
        return self.roles

    def status(self, *, is_row: bool = False) -> TrainingStatus:
        """Return how far training is; with `is_row` means begin again."""
        reward = float(np.mean(self._rewards)) if self._rewards else float('nan')
        loss = float(np.mean(self._losses)) if self._losses else float('nan')
        if is_row:
            self._losses, self._rewards = [], []
        steps, decisions = self.environment.tallies.steps, self._memory.count
        return TrainingStatus(
            self.episodes, steps, decisions, self._updates, reward, loss, 0.0, self.score
        )

    def tick(self) -> dict[str, AlphaZeroModel] | None:
        """Play a decision in every lane, and learn; return snapshots that were taken."""
        options = self._options
        for game in self._self_play.tick():
            for position in game.positions:
                self._memory.add(position, game.mix_values(position, options.value_mix))
            self._owed += options.replay_ratio * len(game.positions) / options.batch
            self._rewards.append(float(game.reward[0]))
        self._learn()
        if self._snapshots.is_due(self.episodes) or self.is_done:
            model = self.model()
            self.score = mean_reward(self.evaluate(self.config.evaluation_games, model))
            return {'all': model.with_about(reward=self.score)}
        return None

    def model(self) -> AlphaZeroModel:
        """Return what the network is now."""
        weights = {k: v.detach().cpu().clone() for k, v in self._network.state_dict().items()}
        about = About(
            self.info.name, self.roles, 'alphazero', self.episodes, 0.0, digest(self.info)
        )
        return AlphaZeroModel(self.spec, self.shape, len(self.roles), weights, about)

    def evaluate(self, games: int, model: AlphaZeroModel) -> dict[str, Score]:
        """Return how a model fares on every seat against the judge of the options."""
        return self.arena.seat_in_turn(
            lambda role: AlphaZeroAgent.of(
                model, self.config.device, playouts=_EVALUATION_PLAYOUTS
            ),
            games,
            derive_seed(self.config.seed, 'evaluation'),
            make_other=lambda role: open_agent(self.config.judge),
        )

    def close(self) -> None:
        """Release what is held."""
        self.environment.close()
        self.arena.close()

    # ---- going on later

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes."""
        memory = self._memory
        return {
            'network': dict(self._network.state_dict()),
            'optimiser': self._optimiser.state_dict(),
            'memory': memory.to_tree(),
            'counts': [memory.count, self._updates],
            'milestone': self._snapshots.count,
            'score': self.score,
            'means': [self._losses, self._rewards],
            'owed': self._owed,
            'games': self._self_play.to_tree(),
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned, of the same game and options. Raises RunError."""
        if 'lengths' not in tree.get('games', {}):
            raise RunError(
                'the state of this run is from an earlier version of alphazero, which played and'
                ' learned otherwise: its snapshots can be played, but training must begin again'
            )
        self._network.load_state_dict(tree['network'])
        self._inference.refresh()
        self._optimiser.load_state_dict(tree['optimiser'])
        count, self._updates = tree['counts']
        self._memory.restore(tree['memory'], count)
        self._snapshots.count = tree['milestone']
        self.score = tree['score']
        self._losses, self._rewards = tree['means']
        self._owed = tree['owed']
        self._self_play.restore(tree['games'])

    # ---- learning

    def _learn(self) -> None:
        options = self._options
        if self._memory.count < options.warm_up or self._owed < 1:
            return
        self._network.train()
        while self._owed >= 1:
            self._owed -= 1
            self._losses.append(self._update(options.batch))
        self._network.eval()
        self._inference.refresh()
        share = min(1.0, 2 - 2 * self.episodes / self.config.episodes)
        for group in self._optimiser.param_groups:
            group['lr'] = options.learning_rate * max(options.learning_rate_end, share)

    def _update(self, size: int) -> float:
        self._updates += 1
        memory = self._memory
        key = derive_seed(self.config.seed, f'update {self._updates}')
        chance = np.random.Generator(np.random.Philox(key=key))
        rows = chance.integers(0, memory.size, size)
        seen = np.unpackbits(
            memory.seen[rows], axis=1, count=self.shape.observation_size, bitorder='little'
        )
        policy = memory.policy[rows]
        if len(self._symmetries) > 1:
            renaming = chance.integers(0, len(self._symmetries), size)
            seen = np.take_along_axis(seen, self._symmetries.observation[renaming], axis=1)
            policy = np.take_along_axis(policy, self._symmetries.legal[renaming], axis=1)
        logits, values = self._network(self._put(seen).float())
        mine = logits[torch.arange(size), self._put(memory.player[rows])]
        loss = functional.cross_entropy(mine, self._put(policy))
        loss = loss + functional.binary_cross_entropy_with_logits(
            values, self._put(memory.value[rows])
        )
        self._optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        norm = self._options.gradient_norm or float('inf')
        torch.nn.utils.clip_grad_norm_(self._network.parameters(), norm)
        self._optimiser.step()
        return float(loss.detach())

    def _put(self, array: NDArray[Any]) -> Tensor:
        """Return an array where the network is."""
        return torch.from_numpy(array).to(self._device)
