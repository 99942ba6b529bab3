"""What an exported network takes and returns, for every kind of player.

| input | type | meaning |
|---|---|---|
| observation | float32 [B, entries] | what the role sees, as `State` and `DecisionBatch` have it |
| legal | bool [B, actions] | what is legal |
| role | int64 [B] | whose decision it is: the place of the role among `roles` |

| output | type | meaning |
|---|---|---|
| action | int64 [B] | the legal action that the network thinks best |
| value | float32 [B, actions] | of a DQN or Rainbow: what each action is worth |
| policy, outcome | float32 [B, actions], [B] | of AlphaZero: logits, and the value for the role |

Players of mmd and sequence remember. Their networks have two inputs more, and other outputs:

| input | type | meaning |
|---|---|---|
| last | int64 [B] | the own move since the input before, -1 for none |
| state | float32 [B, size] | `next_state` of the input before; zeros at first |

| output | type | meaning |
|---|---|---|
| policy | float32 [B, actions] | how likely each action is; 0 for those that are not legal |
| next_state | float32 [B, size] | what is to be remembered |
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gdl_agents.learning.alphazero.model import AlphaZeroModel, PolicyValueNetwork
from gdl_agents.learning.dqn.model import Model
from gdl_agents.learning.dqn.targets import best_action, mean_values
from gdl_agents.learning.errors import RunError
from gdl_agents.learning.mmd.model import MmdModel
from gdl_agents.learning.mmd.networks import PolicyNetwork, log_policy
from gdl_agents.learning.networks import ValueNetwork

INPUTS = ('observation', 'legal', 'role')
# Of players that remember.
MEMORY_INPUTS = (*INPUTS, 'last', 'state')


class ExportedValues(nn.Module):
    """A network of DQN or Rainbow that picks the best legal action."""

    inputs = INPUTS
    outputs = ('action', 'value')

    def __init__(self, network: ValueNetwork, support: Tensor, views: Tensor) -> None:
        """Wrap a network.

        - views: int64 (roles, entries), the entry that a role sees at each place
        """
        super().__init__()
        self.network = network
        self.support: Tensor
        self.views: Tensor
        self.register_buffer('support', support)
        self.register_buffer('views', views)

    def forward(self, observation: Tensor, legal: Tensor, role: Tensor) -> tuple[Tensor, Tensor]:
        """Return the best legal action of each row, and what all actions are worth."""
        seen = observation.gather(1, self.views[role])
        values = mean_values(self.network(seen), self.support)
        return best_action(values, legal), values


class ExportedPolicy(nn.Module):
    """A network of AlphaZero, without its search: what it would play at first sight."""

    inputs = INPUTS
    outputs = ('action', 'policy', 'outcome')

    def __init__(self, network: PolicyValueNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(
        self, observation: Tensor, legal: Tensor, role: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the likeliest legal action of each row, all logits, and the role's value."""
        logits, values = self.network(observation)
        index = role[:, None, None].expand(-1, 1, logits.shape[2])
        own = logits.gather(1, index).squeeze(1)
        return best_action(own, legal), own, values.gather(1, role[:, None]).squeeze(1)


class ExportedMemory(nn.Module):
    """A network of mmd or sequence: one decision, with what is remembered before and after it."""

    inputs = MEMORY_INPUTS
    outputs = ('action', 'policy', 'next_state')

    def __init__(self, network: PolicyNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(
        self, observation: Tensor, legal: Tensor, role: Tensor, last: Tensor, state: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the likeliest legal action of each row, all probabilities, and the state."""
        logits, after = self.network.advance(
            self.network.make_inputs(observation, last, role), state
        )
        # Those who play draw by these; the likeliest one is for those who want one.
        return best_action(logits, legal), log_policy(logits, legal).exp(), after


@dataclass(frozen=True)
class ExportedPlayer:
    """A model that is to be exported."""

    model: Model | AlphaZeroModel | MmdModel
    # The roles it plays, in the order in which `role` counts them.
    roles: tuple[str, ...]

    def build(self) -> ExportedValues | ExportedPolicy | ExportedMemory:
        """Return the network, ready to be run. Raises LearningError."""
        if isinstance(self.model, MmdModel):
            return ExportedMemory(self.model.build()).eval()
        if isinstance(self.model, AlphaZeroModel):
            return ExportedPolicy(self.model.build()).eval()
        entries = self.model.shape.observation_size
        plain = torch.arange(entries)
        views = [
            torch.as_tensor(self.model.views[role]) if role in self.model.views else plain
            for role in self.roles
        ]
        network = self.model.build().eval()
        return ExportedValues(network, self.model.support, torch.stack(views)).eval()


def find_player(model: Model | AlphaZeroModel | MmdModel) -> ExportedPlayer:
    """Return what is exported of a model. Raises RunError if it does not say what it plays."""
    if not model.about.roles:
        raise RunError(f'the model does not say which roles of {model.about.game} it plays')
    # A network that remembers counts the roles as its own list has them.
    roles = model.roles if isinstance(model, MmdModel) else model.about.roles
    return ExportedPlayer(model, roles)
