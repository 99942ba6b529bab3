"""The last layers of a network that says what each action is worth."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from gdl_agents.learning.networks.errors import NetworkError
from gdl_agents.learning.networks.noisy import NoisyLinear


@dataclass(frozen=True)
class Head:
    """What comes after the body. The defaults are those of Rainbow.

    Raises NetworkError for sizes that make no sense.
    """

    # Whether the value of the state and the advantages of the actions are found apart.
    dueling: bool = True
    # How many values the return is spread over; 1: only the expected return is learned.
    atoms: int = 51
    # Whether exploration is by noise on the weights of the head.
    noisy: bool = True
    # How strong the noise is at first.
    sigma: float = 0.5
    # Width of a hidden layer for the value and one for the advantages; 0: none.
    hidden: int = 0

    def __post_init__(self) -> None:
        if self.atoms < 1 or self.hidden < 0 or self.sigma < 0:
            raise NetworkError(
                f'a head needs 1 atom or more, and no negative sizes: got atoms {self.atoms},'
                f' hidden {self.hidden}, sigma {self.sigma}'
            )


class ValueHead(nn.Module):
    """From features to a value, or the logits of one, for each action.

    Where it is dueling, the advantages of all actions of an observation have the mean 0.
    """

    def __init__(self, features: int, actions: int, head: Head) -> None:
        super().__init__()
        self.head = head
        self.actions = actions
        self.advantage = _stream(features, actions * head.atoms, head)
        self.value = _stream(features, head.atoms, head) if head.dueling else None

    def forward(self, features: Tensor) -> Tensor:
        """Return [B, actions], or logits [B, actions, atoms] where there are several atoms."""
        advantage: Tensor = self.advantage(features)
        advantage = advantage.view(-1, self.actions, self.head.atoms)
        if self.value is not None:
            value = self.value(features).unsqueeze(1)
            advantage = value + advantage - advantage.mean(dim=1, keepdim=True)
        return advantage.squeeze(2) if self.head.atoms == 1 else advantage


def _stream(inputs: int, outputs: int, head: Head) -> nn.Module:
    if not head.hidden:
        return _linear(inputs, outputs, head)
    return nn.Sequential(
        _linear(inputs, head.hidden, head), nn.ReLU(), _linear(head.hidden, outputs, head)
    )


def _linear(inputs: int, outputs: int, head: Head) -> nn.Module:
    return NoisyLinear(inputs, outputs, head.sigma) if head.noisy else nn.Linear(inputs, outputs)
