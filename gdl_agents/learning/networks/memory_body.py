"""From the description of a network to a body that remembers what came before in a match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import PackedSequence

from gdl_agents.learning.networks.attention import AttentionBlock
from gdl_agents.learning.networks.body import build_body, stack_layers
from gdl_agents.learning.networks.layers import MEMORIES, Attention, Gru, Layer, Lstm
from gdl_agents.learning.networks.shape import Shape
from gdl_agents.learning.networks.spec import NetworkSpec


class MemoryBody(nn.Module):
    """From rows of several sequences to features of each row.

    Rows are ordered as PyTorch packs sequences: first the first rows of all sequences, the longest
    sequence first, then all second rows, and so on. A body without layers that
    remember has a state of size 0, and sees each row alone. Raises NetworkError where the network
    does not fit the shape.
    """

    def __init__(self, spec: NetworkSpec, shape: Shape) -> None:
        super().__init__()
        first, *rest = _split(spec.layers)
        self.first, width = build_body(replace(spec, layers=tuple(first)), shape)
        memories: list[nn.Module] = []
        stacks: list[nn.Module] = []
        # The numbers that each memory keeps of a sequence.
        self._sizes: list[int] = []
        for memory, *layers in rest:
            assert isinstance(memory, MEMORIES)
            module, size = _build_memory(width, memory)
            memories.append(module)
            self._sizes.append(size)
            stack, width = stack_layers(layers, memory.width, spec)
            stacks.append(stack)
        self.memories = nn.ModuleList(memories)
        self.stacks = nn.ModuleList(stacks)
        self.features = width

    @property
    def state_size(self) -> int:
        """Return how many numbers are remembered of a sequence."""
        return sum(self._sizes)

    def step(self, rows: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return features of one row of each sequence, and what is remembered after it.

        The same as `forward` with these rows alone, in operations that files of networks know.
        """
        features: Tensor = self.first(rows)
        if not self._sizes:
            return features, state
        kept = []
        # PyTorch has no types for it.
        states = state.split(self._sizes, dim=1)  # type: ignore[no-untyped-call]
        for memory, stack, before in zip(self.memories, self.stacks, states, strict=True):
            if isinstance(memory, AttentionBlock):
                features, after = memory.step(features, before)
            elif isinstance(memory, nn.LSTM):
                features, after = _step_lstm(memory, features, before)
            else:
                features = after = _step_gru(memory, features, before)
            kept.append(after)
            features = stack(features)
        return features, torch.cat(kept, dim=1)

    def forward(self, rows: Tensor, sizes: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return features of all rows, and what is remembered after the last one of each sequence.

        - sizes: int64, how many sequences have a first row, a second one, …
        - state: [sequences, state_size], what is remembered before; zeros at the start of a match
        """
        features: Tensor = self.first(rows)
        if not self._sizes:
            return features, state
        kept = []
        # PyTorch has no types for it.
        states = state.split(self._sizes, dim=1)  # type: ignore[no-untyped-call]
        for memory, stack, before in zip(self.memories, self.stacks, states, strict=True):
            if isinstance(memory, AttentionBlock):
                features, after = memory(features, sizes, before)
                kept.append(after)
                features = stack(features)
                continue
            packed = PackedSequence(features, sizes)
            held = before.unsqueeze(0)
            if isinstance(memory, nn.LSTM):
                hidden, cell = (part.contiguous() for part in held.chunk(2, dim=2))
                found, (hidden, cell) = memory(packed, (hidden, cell))
                kept.append(torch.cat((hidden, cell), dim=2).squeeze(0))
            else:
                found, hidden = memory(packed, held.contiguous())
                kept.append(hidden.squeeze(0))
            features = stack(found.data)
        return features, torch.cat(kept, dim=1)


def _build_memory(width: int, layer: Gru | Lstm | Attention) -> tuple[nn.Module, int]:
    """Return a memory of features of some width, and how many numbers it keeps of a sequence."""
    if isinstance(layer, Attention):
        block = AttentionBlock(width, layer)
        return block, block.state_size
    if isinstance(layer, Lstm):
        return nn.LSTM(width, layer.width), 2 * layer.width
    return nn.GRU(width, layer.width), layer.width


def _split(layers: Sequence[Layer]) -> list[list[Layer]]:
    """Return the layers before the first memory, and each memory with the layers after it."""
    parts: list[list[Layer]] = [[]]
    for layer in layers:
        if isinstance(layer, MEMORIES):
            parts.append([])
        parts[-1].append(layer)
    return parts


def _step_lstm(memory: nn.LSTM, rows: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    """Return the output of one step, and the state after it."""
    hidden, cell = state.chunk(2, dim=1)
    gates = _weigh(memory, 'ih', rows) + _weigh(memory, 'hh', hidden)
    enter, forget, change, leave = gates.chunk(4, dim=1)
    cell = forget.sigmoid() * cell + enter.sigmoid() * change.tanh()
    hidden = leave.sigmoid() * cell.tanh()
    return hidden, torch.cat((hidden, cell), dim=1)


def _step_gru(memory: nn.Module, rows: Tensor, state: Tensor) -> Tensor:
    """Return the output of one step, which is the state after it, too."""
    reset, update, change = _weigh(memory, 'ih', rows).chunk(3, dim=1)
    reset_held, update_held, change_held = _weigh(memory, 'hh', state).chunk(3, dim=1)
    new = (change + (reset + reset_held).sigmoid() * change_held).tanh()
    share = (update + update_held).sigmoid()
    return new + share * (state - new)


def _weigh(memory: nn.Module, part: str, values: Tensor) -> Tensor:
    return functional.linear(
        values, getattr(memory, f'weight_{part}_l0'), getattr(memory, f'bias_{part}_l0')
    )
