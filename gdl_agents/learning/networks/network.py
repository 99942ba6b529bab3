"""A body and a head: the network of a player that learns what actions are worth."""

from __future__ import annotations

from contextlib import ExitStack

import torch
from torch import Tensor, nn

from gdl_agents.learning.networks.body import build_body
from gdl_agents.learning.networks.head import Head, ValueHead
from gdl_agents.learning.networks.noisy import NoisyLinear
from gdl_agents.learning.networks.shape import Shape
from gdl_agents.learning.networks.spec import NetworkSpec


class ValueNetwork(nn.Module):
    """From observations to what each action is worth. Made by `build_network`."""

    def __init__(self, spec: NetworkSpec, shape: Shape, head: Head) -> None:
        super().__init__()
        self.spec = spec
        self.body, features = build_body(spec, shape)
        self.head = ValueHead(features, shape.action_size, head)
        self._noisy = [module for module in self.modules() if isinstance(module, NoisyLinear)]

    def forward(self, observation: Tensor) -> Tensor:
        """Return values [B, actions], or logits [B, actions, atoms], of [B, entries] float32."""
        found: Tensor = self.head(self.body(observation))
        return found

    def reset_noise(self, generator: torch.Generator | None = None) -> None:
        """Draw new noise for all noisy layers; does nothing where there are none."""
        for module in self._noisy:
            module.reset_noise(generator)


def build_network(
    spec: NetworkSpec, shape: Shape, head: Head, seed: int | None = None
) -> ValueNetwork:
    """Return a network with new weights. Raises NetworkError if it does not fit the shape.

    With a seed the weights and the first noise depend on nothing else, and the global generator
    of PyTorch stays as it was.
    """
    with ExitStack() as stack:
        if seed is not None:
            stack.enter_context(torch.random.fork_rng(devices=[]))
            torch.manual_seed(seed)
        return ValueNetwork(spec, shape, head)


def count_parameters(spec: NetworkSpec, shape: Shape, head: Head) -> int:
    """Return how many weights a network would have, without making it."""
    with torch.device('meta'):
        network = ValueNetwork(spec, shape, head)
    return sum(parameter.numel() for parameter in network.parameters())
