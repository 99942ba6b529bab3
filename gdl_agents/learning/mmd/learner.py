"""Learns from games of a policy against itself: magnetic mirror descent (Sokota et al., 2023).

A step moves the policy of each decision along the advantages of its moves, while one divergence
holds it near what it was, and another draws it to a magnet: a policy that follows it slowly, mixed
with any legal move. Both are reverse Kullback-Leibler divergences. Departures from the paper: all
moves of a decision are learned from at once, by a critic that sees the whole state and is
corrected by what followed (as V-trace does); the magnet is also what is played in the end, since
it is the steadier of both; temperature, spread and steps fall by the same share in equal times.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
import torch
from torch import Tensor
from torch.nn import functional

from gdl_agents.learning.mmd.config import MmdConfig
from gdl_agents.learning.mmd.networks import CriticNetwork, PolicyNetwork, log_policy
from gdl_agents.learning.mmd.sequences import Sequences
from gdl_agents.players.draws import derive_seed
from gdl_env.environment.bits import Bits


@dataclass(frozen=True)
class _Batch:
    """Games as tensors, a row for each input of a seat: see `Sequences`."""

    inputs: Tensor
    legal: Tensor
    state: Tensor
    player: Tensor
    # What was decided, 0 where nothing was; and whether there was something to choose.
    action: Tensor
    is_decision: Tensor
    is_choice: Tensor


class MmdLearner:
    """A policy with its critic, and what a batch of games teaches them."""

    def __init__(
        self, policy: PolicyNetwork, critic: CriticNetwork, config: MmdConfig, seed: int
    ) -> None:
        self.policy = policy
        self.critic = critic
        self._config = config
        self._seed = seed
        # What follows the policy.
        self.magnet = deepcopy(policy)
        self._progress = 0.0
        self._optimisers = {
            'policy': torch.optim.Adam(policy.parameters(), lr=config.learning_rate),
            'critic': torch.optim.Adam(critic.parameters(), lr=config.critic_learning_rate),
        }
        # How much results vary at first; all values are in this unit.
        self.unit = 0.0
        self.updates = 0

    def learn(self, games: Sequences, progress: float) -> float:
        """Learn from games, at a share of the whole training; return the mean loss."""
        config = self._config
        if not self.unit:
            totals = np.bincount(
                np.repeat(np.arange(len(games.lengths)), games.lengths), games.reward
            )
            self.unit = float(totals.std()) or 1.0
        self._set_rates(progress)
        key = derive_seed(self._seed, f'update {self.updates}')
        chance = np.random.Generator(np.random.Philox(key=key))
        batch = self._unpack(games)
        before, magnet = self._find_policies(games, batch, progress)
        losses = []
        for _ in range(config.epochs):
            target, advantage = self._find_advantages(games, batch, before)
            for part in _deal(len(games.lengths), config.parts, chance):
                rows, sizes = (torch.from_numpy(array) for array in games.select(part))
                self.updates += 1
                self._learn_values(batch, rows, target)
                logits = self._ask(self.policy, batch, rows, sizes)
                is_choice = batch.is_choice[rows]
                chosen = rows[is_choice]
                if len(chosen):
                    logs = log_policy(logits[is_choice], batch.legal[chosen])
                    aims = advantage[chosen], before[chosen], magnet[chosen]
                    losses.append(self._learn_policy(logs, aims, progress))
        self._move_magnet(progress)
        return float(np.mean(losses)) if losses else 0.0

    # ---- parts of a step

    def _unpack(self, games: Sequences) -> _Batch:
        policy = self.policy
        player = torch.from_numpy(np.repeat(games.player, games.lengths))
        observation = _unpack(games.observation, policy.entries).float()
        legal = _unpack(games.legal, policy.actions)
        action = torch.from_numpy(games.action)
        return _Batch(
            policy.make_inputs(observation, torch.from_numpy(games.last), player),
            legal,
            _unpack(games.state, 8 * games.state.shape[1]).float(),
            player,
            action.clamp(min=0),
            action >= 0,
            # Where there is nothing to choose, there is nothing to learn.
            (action >= 0) & (legal.sum(dim=1) > 1),
        )

    def _find_policies(
        self, games: Sequences, batch: _Batch, progress: float
    ) -> tuple[Tensor, Tensor]:
        """Return logarithms of the policy as it is, and of the magnet, in all rows."""
        spread = _fall(self._config.spread, self._config.spread_end, progress)
        any_legal = log_policy(torch.zeros(batch.legal.shape), batch.legal)
        every = games.select(np.arange(len(games.lengths)))
        rows, sizes = (torch.from_numpy(array) for array in every)
        before, magnet = torch.zeros_like(any_legal), torch.zeros_like(any_legal)
        with torch.no_grad():
            for network, logs in ((self.policy, before), (self.magnet, magnet)):
                logits = self._ask(network, batch, rows, sizes)
                logs[rows] = log_policy(logits, batch.legal[rows])
        return before, torch.lerp(magnet, any_legal, spread)

    def _find_advantages(
        self, games: Sequences, batch: _Batch, before: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return what followed each decision, and how much better each action is than the mean."""
        config = self._config
        likely = before.exp()
        with torch.no_grad():
            worth = self.critic(batch.state, batch.player)
            mean = (likely * worth).sum(dim=1)
            followed = games.find_returns(mean.numpy() * self.unit, config.trace)
            target = torch.from_numpy(followed) / self.unit
            action = batch.action.unsqueeze(1)
            surprise = target.unsqueeze(1) - worth.gather(1, action)
            weight = (1 / likely.gather(1, action)).clamp(max=config.correction)
            worth = worth.scatter_add(1, action, weight * surprise)
        return target, worth - (likely * worth).sum(dim=1, keepdim=True)

    def _learn_values(self, batch: _Batch, rows: Tensor, target: Tensor) -> None:
        chosen = rows[batch.is_decision[rows]]
        worth = self.critic(batch.state[chosen], batch.player[chosen])
        now = worth.gather(1, batch.action[chosen].unsqueeze(1)).squeeze(1)
        self._step('critic', functional.mse_loss(now, target[chosen]))

    def _learn_policy(
        self, logs: Tensor, aims: tuple[Tensor, Tensor, Tensor], progress: float
    ) -> float:
        """Learn from choices, by logarithms of the policy.

        - aims: of each choice, advantages, and logarithms of what the policy was and of the magnet
        """
        config = self._config
        advantage, before, magnet = aims
        step = _fall(config.step, config.step_end, progress)
        heat = _fall(config.temperature, config.temperature_end, progress)
        likely = logs.exp()
        gain = (likely * advantage).sum(dim=1)
        moved = (likely * (logs - before)).sum(dim=1)
        drawn = (likely * (logs - magnet)).sum(dim=1)
        loss = (moved / step + heat * drawn - gain).mean()
        self._step('policy', loss)
        return float(loss.detach())

    def _step(self, name: str, loss: Tensor) -> None:
        optimiser = self._optimisers[name]
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        norm = self._config.gradient_norm or float('inf')
        torch.nn.utils.clip_grad_norm_(optimiser.param_groups[0]['params'], norm)
        optimiser.step()

    def _set_rates(self, progress: float) -> None:
        config = self._config
        share = 1 - progress * (1 - config.learning_rate_end)
        self._optimisers['policy'].param_groups[0]['lr'] = config.learning_rate * share
        self._optimisers['critic'].param_groups[0]['lr'] = config.critic_learning_rate * share

    def _move_magnet(self, progress: float) -> None:
        """Let the magnet follow the policy, by the share of its lag that has gone by."""
        share = min(1.0, (progress - self._progress) / self._config.lag)
        self._progress = progress
        with torch.no_grad():
            pairs = zip(self.magnet.parameters(), self.policy.parameters(), strict=True)
            for slow, quick in pairs:
                slow.lerp_(quick, share)

    def _ask(self, network: PolicyNetwork, batch: _Batch, rows: Tensor, sizes: Tensor) -> Tensor:
        """Return the logits of rows, as `Sequences.select` orders them."""
        state = torch.zeros(int(sizes[0]), network.state_size)
        logits, _ = network(batch.inputs[rows], sizes, state)
        found: Tensor = logits
        return found

    # ---- continuing later

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes."""
        return {
            'policy': dict(self.policy.state_dict()),
            'critic': dict(self.critic.state_dict()),
            'magnet': dict(self.magnet.state_dict()),
            'optimisers': {name: one.state_dict() for name, one in self._optimisers.items()},
            'counts': [self.updates, self._progress, self.unit],
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned."""
        self.policy.load_state_dict(tree['policy'])
        self.critic.load_state_dict(tree['critic'])
        self.magnet.load_state_dict(tree['magnet'])
        for name, one in self._optimisers.items():
            one.load_state_dict(tree['optimisers'][name])
        self.updates, self._progress, self.unit = tree['counts']


def _unpack(rows: NDArray[np.uint8], size: int) -> Tensor:
    return torch.from_numpy(Bits(rows, size).unpack())


def _deal(games: int, parts: int, chance: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Return the games in so many parts, shuffled."""
    return (part for part in np.array_split(chance.permutation(games), parts) if len(part))


def _fall(first: float, last: float, progress: float) -> float:
    """Return a value that falls from the first to the last, by the same share in equal times."""
    if not first or not last:
        return first + (last - first) * min(1.0, progress)
    return float(first * (last / first) ** min(1.0, progress))
