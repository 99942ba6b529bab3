"""A network that learns from searched positions of games that have ended."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
import torch
from torch import Tensor
from torch.nn import functional

from gdl_agents.learning.alphazero.config import AlphaZeroConfig
from gdl_agents.learning.alphazero.games_in_progress import EndedGame
from gdl_agents.learning.alphazero.inference import Inference
import gdl_agents.learning.alphazero.light_network  # noqa: F401 - a name among generators
from gdl_agents.learning.alphazero.memory import Memory
from gdl_agents.learning.alphazero.model import (
    AlphaZeroModel,
    build_policy_value,
    use_channels_last,
)
from gdl_agents.learning.dqn.model import About
from gdl_agents.learning.errors import LearningError
from gdl_agents.learning.game_properties.symmetry import Symmetries
from gdl_agents.learning.networks import NetworkSpec, Shape
from gdl_agents.players.draws import derive_seed


class PolicyValueLearner:
    """The network, its optimiser, and the positions that it learns from."""

    def __init__(
        self,
        spec: NetworkSpec,
        shape: Shape,
        players: int,
        options: AlphaZeroConfig,
        seed: int,
        device: torch.device,
        symmetries: Symmetries | None = None,
    ) -> None:
        """Make a network with new weights, for a game with so many players."""
        self.spec = spec
        self.shape = shape
        self._players = players
        self._options = options
        self._seed = seed
        self._device = device
        self.network = build_policy_value(spec, shape, players, derive_seed(seed, 'alphazero'))
        self.network.to(device)
        use_channels_last(self.network)
        self._optimiser = torch.optim.AdamW(
            self.network.parameters(),
            lr=options.learning_rate,
            weight_decay=options.weight_decay,
        )
        self.inference = Inference(self.network, options.precision)
        seen, actions = shape.observation_size, shape.action_size
        self.memory = Memory.empty(options.capacity, seen, actions, players)
        self._symmetries = symmetries or Symmetries.none(seen, actions)
        # Steps of the optimiser: so far, and those that positions have paid for.
        self.updates = 0
        self._owed = 0.0
        # Of each step, since whoever reads them began a new list.
        self.losses: list[float] = []

    def add(self, game: EndedGame) -> None:
        """Take in a game."""
        options = self._options
        for position in game.positions:
            self.memory.add(position, game.mix_values(position, options.value_mix))
        self._owed += options.replay_ratio * len(game.positions) / options.batch

    def learn(self, progress: float) -> None:
        """Learn as much as is due; `progress` is how much of the training is done, 0 to 1."""
        options = self._options
        if self.memory.count < options.warm_up or self._owed < 1:
            return
        self.network.train()
        while self._owed >= 1:
            self._owed -= 1
            self.losses.append(self._update(options.batch))
        self.network.eval()
        self.inference.refresh()
        share = min(1.0, 2 - 2 * progress)
        for group in self._optimiser.param_groups:
            group['lr'] = options.learning_rate * max(options.learning_rate_end, share)

    def model(self, about: About) -> AlphaZeroModel:
        """Return what the network is now."""
        weights = {k: v.detach().cpu().clone() for k, v in self.network.state_dict().items()}
        return AlphaZeroModel(self.spec, self.shape, self._players, weights, about)

    def take_over(self, model: AlphaZeroModel) -> None:
        """Take over the weights of a model of the same network. Raises LearningError."""
        try:
            self.network.load_state_dict(model.weights)
        except RuntimeError as error:
            raise LearningError(f'these weights are of another network: {error}') from error
        self.inference.refresh()

    # ---- continuing later

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes, but for the losses."""
        return {
            'network': dict(self.network.state_dict()),
            'optimiser': self._optimiser.state_dict(),
            'memory': self.memory.to_tree(),
            'counts': [self.memory.count, self.updates],
            'owed': self._owed,
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned, of the same game and options."""
        self.network.load_state_dict(tree['network'])
        self.inference.refresh()
        self._optimiser.load_state_dict(tree['optimiser'])
        count, self.updates = tree['counts']
        self.memory.restore(tree['memory'], count)
        self._owed = tree['owed']

    # ---- inside

    def _update(self, size: int) -> float:
        self.updates += 1
        memory = self.memory
        key = derive_seed(self._seed, f'update {self.updates}')
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
        logits, values = self.network(self._put(seen).float())
        mine = logits[torch.arange(size), self._put(memory.player[rows])]
        loss = functional.cross_entropy(mine, self._put(policy))
        loss = loss + functional.binary_cross_entropy_with_logits(
            values, self._put(memory.value[rows])
        )
        self._optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        norm = self._options.gradient_norm or float('inf')
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), norm)
        self._optimiser.step()
        return float(loss.detach())

    def _put(self, array: NDArray[Any]) -> Tensor:
        """Return an array where the network is."""
        return torch.from_numpy(array).to(self._device)
