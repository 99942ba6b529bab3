"""Learns from whole games which moves are played, and what they are worth.

Of each decision the network learns which move was played, and how the game went on for the role
after it: a mean over all games that came this way. Played are moves in proportion to both: likely
ones, and among those the ones that turned out better than others. From random games this leads to
the moves after which random games go best, from games of good players to what they do; from games
of the network itself to ever better ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.nn import functional

from gdl_agents.learning.mmd.networks import log_policy
from gdl_agents.learning.sequence.config import SequenceConfig
from gdl_agents.learning.sequence.learned_games import LearnedGames
from gdl_agents.learning.sequence.networks import SequenceNetwork
from gdl_env.environment.bits import Bits


class SequenceLearner:
    """A sequence network, and what a batch of games teaches it."""

    def __init__(self, network: SequenceNetwork, config: SequenceConfig) -> None:
        self.network = network
        self._config = config
        self._optimiser = torch.optim.Adam(network.parameters(), lr=config.learning_rate)
        # How much results vary in the first batch; all values are in this unit.
        self.unit = 0.0
        self.updates = 0

    def learn(self, games: LearnedGames, progress: float) -> float:
        """Learn from games, at a share of the whole training; return the loss."""
        config, network, sequences = self._config, self.network, games.sequences
        count = len(sequences.lengths)
        rows, sizes = sequences.select(np.arange(count))
        returns = sequences.find_returns(np.zeros(len(rows), np.float32), trace=1.0)
        if not self.unit:
            begin = np.cumsum(sequences.lengths) - sequences.lengths
            self.unit = float(np.add.reduceat(sequences.reward, begin).std()) or 1.0
        share = 1 - progress * (1 - config.learning_rate_end)
        self._optimiser.param_groups[0]['lr'] = config.learning_rate * share
        observation = Bits(sequences.observation[rows], network.entries).unpack()
        legal = torch.from_numpy(Bits(sequences.legal[rows], network.actions).unpack())
        player = np.repeat(sequences.player, sequences.lengths)[rows]
        inputs = network.make_inputs(
            torch.from_numpy(observation).float(),
            torch.from_numpy(sequences.last[rows]),
            torch.from_numpy(player),
        )
        action = torch.from_numpy(sequences.action[rows])
        target = torch.from_numpy(returns[rows] / np.float32(self.unit))
        is_model = torch.from_numpy(games.is_model[rows]) & (legal.sum(dim=1) > 1)
        state = torch.zeros(count, network.state_size)
        preferred, worth, _ = network.judge(inputs, torch.from_numpy(sizes), state)
        found = worth.gather(1, action.unsqueeze(1)).squeeze(1)
        loss = config.value_weight * functional.mse_loss(found, target)
        if is_model.any():
            logs = log_policy(preferred[is_model], legal[is_model])
            loss = loss + functional.nll_loss(logs, action[is_model])
        self._optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        norm = config.gradient_norm or float('inf')
        torch.nn.utils.clip_grad_norm_(network.parameters(), norm)
        self._optimiser.step()
        self.updates += 1
        return float(loss.detach())

    # ---- continuing later

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes."""
        return {
            'network': dict(self.network.state_dict()),
            'optimiser': self._optimiser.state_dict(),
            'counts': [self.updates, self.unit],
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned."""
        self.network.load_state_dict(tree['network'])
        self._optimiser.load_state_dict(tree['optimiser'])
        self.updates, self.unit = tree['counts']
