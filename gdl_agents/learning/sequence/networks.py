"""The network of sequence players: from a sequence of moves and changes to the next move."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn

from gdl_agents.learning.mmd.networks import PolicyNetwork, find_memory_width
from gdl_agents.learning.networks import Attention, Linear, Lstm, NetworkSpec, Shape
from gdl_agents.learning.networks.attention import find_places
from gdl_agents.learning.networks.generators import register_generator

LSTM, TRANSFORMER = 'lstm', 'transformer'
_BLOCKS = 2


@register_generator(LSTM)
def lstm(shape: Shape) -> NetworkSpec:
    """Return an LSTM between two linear layers."""
    width = find_memory_width(shape)
    return NetworkSpec((Linear(width), Lstm(width), Linear(width)), name=LSTM)


@register_generator(TRANSFORMER)
def transformer(shape: Shape) -> NetworkSpec:
    """Return a small transformer."""
    width = find_memory_width(shape)
    blocks = tuple(Attention(width) for _ in range(_BLOCKS))
    return NetworkSpec((*blocks, Linear(width)), name=TRANSFORMER)


class SequenceNetwork(PolicyNetwork):
    """From the own last move, and what changed in the view since then, to the next move.

    The view itself is no input: the network must keep in mind what it was. An input has an entry
    for each of an observation (1: it came, -1: it went, since the own last decision; at the first
    decision all that is seen came), for each action (1: the own last move) and for each role (1:
    who is asked). It says how moves are preferred, and what each is worth.
    """

    only_decisions: ClassVar[bool] = True
    # What the value of a move counts in play.
    sharpness: Tensor

    def __init__(
        self, spec: NetworkSpec, shape: Shape, players: int, sharpness: float = 0.0
    ) -> None:
        super().__init__(spec, shape, players)
        self.values = nn.Linear(self.body.features, shape.action_size)
        self.register_buffer('sharpness', torch.tensor(float(sharpness)))

    @property
    def state_size(self) -> int:
        """Return how many numbers a role remembers: also what it saw last."""
        return self.body.state_size + self.entries

    def judge(self, inputs: Tensor, sizes: Tensor, state: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return preferences and values of all rows, and what is remembered: see `MemoryBody`."""
        seen = inputs[:, : self.entries]
        before, held = state[:, : self.entries], state[:, self.entries :]
        place, sequence = find_places(sizes)
        first = int(sizes[0])
        # The row before one stands as many rows before it as the place before has rows.
        rows = torch.arange(first, len(inputs))
        earlier = seen[rows - sizes[place[first:] - 1]]
        changes = seen - torch.cat((before, earlier))
        features, held = self.body(
            torch.cat((changes, inputs[:, self.entries :]), dim=1), sizes, held
        )
        lengths = torch.bincount(sequence, minlength=first)
        last = (sizes.cumsum(0) - sizes)[lengths - 1] + torch.arange(first)
        remembered = torch.cat((seen[last], held), dim=1)
        return self.policy(features), self.values(features), remembered

    def forward(self, inputs: Tensor, sizes: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits of what is played in all rows, and what is remembered after them."""
        preferred, worth, state = self.judge(inputs, sizes, state)
        return preferred + self.sharpness * worth, state

    def advance(self, inputs: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits of one row of each sequence, and what is remembered after it."""
        seen = inputs[:, : self.entries]
        changes = torch.cat((seen - state[:, : self.entries], inputs[:, self.entries :]), dim=1)
        features, held = self.body.step(changes, state[:, self.entries :])
        logits = self.policy(features) + self.sharpness * self.values(features)
        return logits, torch.cat((seen, held), dim=1)


def build_sequence(
    spec: NetworkSpec, shape: Shape, players: int, sharpness: float, seed: int
) -> SequenceNetwork:
    """Return a network with new weights that depend on the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return SequenceNetwork(spec, shape, players, sharpness)
