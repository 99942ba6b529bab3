"""The networks of mmd: a policy that remembers, and a critic that sees the whole state."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from gdl_agents.learning.networks import Gru, Linear, MemoryBody, NetworkSpec, Shape
from gdl_agents.learning.networks.generators import register_generator
from gdl_agents.learning.networks.heuristics import default, find_narrow_layers

RECURRENT = 'recurrent'
_NARROWEST, _WIDEST = 64, 256
# The width of the layer that puts the findings of convolutions together.
_AFTER_BOARD = 128
# Weights of the last layer are this small at first: play begins with any legal move.
_FIRST_WEIGHTS = 0.01
# In the place of logits of illegal moves.
_NEVER = -1e9


@register_generator(RECURRENT)
def recurrent(shape: Shape) -> NetworkSpec:
    """Return a layer that sees and one that remembers; where there is a board, convolutions.

    They are narrow: each decision is learned from once, so playing many of them counts more than
    learning much from each.
    """
    width = find_memory_width(shape)
    body = default(shape)
    if body.has_board and shape.planes is not None:
        layers = (*find_narrow_layers(shape.planes), Linear(_AFTER_BOARD), Gru(width))
        return replace(body, layers=layers, name=RECURRENT)
    return NetworkSpec((Linear(width), Gru(width)), name=RECURRENT)


def find_memory_width(shape: Shape) -> int:
    """Return the largest power of two below all that is seen or done, between bounds.

    Memory takes most of the time.
    """
    wide = shape.observation_size + shape.action_size
    return min(max(1 << (wide.bit_length() - 1), _NARROWEST), _WIDEST)


class PolicyNetwork(nn.Module):
    """From what a role saw, and did last, to preferences for its actions; it remembers.

    An input has an entry for each of an observation, for each action (1: the role's own last move,
    at its first input after it) and for each role (1: who is asked).
    """

    # Whether decisions are inputs only, not also what is shown while others decide.
    only_decisions: ClassVar[bool] = False

    def __init__(self, spec: NetworkSpec, shape: Shape, players: int) -> None:
        super().__init__()
        spec.check(shape)
        self.players, self.actions = players, shape.action_size
        self.entries = shape.observation_size
        more = shape.action_size + players
        planes = shape.planes
        if planes is not None:
            beside = np.full((more, 3), -1, np.int32)
            planes = replace(planes, table=np.concatenate((planes.table, beside)))
        wide = Shape(shape.observation_size + more, shape.action_size, planes, shape.complexity)
        self.body = MemoryBody(replace(spec, input=None, output=None), wide)
        self.policy = nn.Linear(self.body.features, shape.action_size)
        with torch.no_grad():
            self.policy.weight.mul_(_FIRST_WEIGHTS)
            self.policy.bias.zero_()

    @property
    def state_size(self) -> int:
        """Return how many numbers a role remembers."""
        return self.body.state_size

    def make_inputs(self, observation: Tensor, last: Tensor, player: Tensor) -> Tensor:
        """Return inputs.

        - observation: float32 [B, entries]
        - last: int64 [B], the own last move, -1 for none
        - player: int64 [B]
        """
        moves = functional.one_hot(last + 1, self.actions + 1)[:, 1:]
        roles = functional.one_hot(player, self.players)
        return torch.cat((observation, moves.float(), roles.float()), dim=1)

    def forward(self, inputs: Tensor, sizes: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits of all rows, and what is remembered after them: see `MemoryBody`."""
        features, state = self.body(inputs, sizes, state)
        return self.policy(features), state

    def advance(self, inputs: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits of one row of each sequence, and what is remembered after it."""
        features, state = self.body.step(inputs, state)
        return self.policy(features), state


class CriticNetwork(nn.Module):
    """From the whole state, and who decides, to what each action is worth to the one."""

    def __init__(self, entries: int, players: int, actions: int, width: int) -> None:
        super().__init__()
        self.players = players
        self.layers = nn.Sequential(
            nn.Linear(entries + players, width),
            nn.ReLU(),
            nn.Linear(width, width),
            nn.ReLU(),
            nn.Linear(width, actions),
        )

    def forward(self, state: Tensor, player: Tensor) -> Tensor:
        """Return values [B, actions] of float32 [B, entries] and int64 [B]."""
        roles = functional.one_hot(player, self.players).float()
        found: Tensor = self.layers(torch.cat((state, roles), dim=1))
        return found


def build_policy(spec: NetworkSpec, shape: Shape, players: int, seed: int) -> PolicyNetwork:
    """Return a network with new weights that depend on the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return PolicyNetwork(spec, shape, players)


def build_critic(entries: int, players: int, shape: Shape, width: int, seed: int) -> CriticNetwork:
    """Return a critic with new weights that depend on the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return CriticNetwork(entries, players, shape.action_size, width)


def log_policy(logits: Tensor, legal: Tensor) -> Tensor:
    """Return logarithms of how likely each action is: legal ones only."""
    return logits.masked_fill(~legal, _NEVER).log_softmax(dim=1)
