"""Attention over what came before: a block of a transformer that remembers its last inputs."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from gdl_agents.learning.networks.layers import Attention

# How much wider the layer inside a block is.
_WIDER = 4
# In the place of preferences for rows that must not be seen.
_NEVER = -1e9


class AttentionBlock(nn.Module):
    """One block: each row asks itself and the rows before it, then passes two linear layers.

    It sees `window` rows: the own one, and those right before it. What it remembers of a sequence
    are that many inputs, and their number. How much a row counts depends on how long ago it was.
    """

    def __init__(self, width: int, layer: Attention) -> None:
        super().__init__()
        self.heads, self.window, self.width = layer.heads, layer.window, layer.width
        self.enter = nn.Linear(width, layer.width) if width != layer.width else nn.Identity()
        self.before = nn.LayerNorm(layer.width)
        self.ask = nn.Linear(layer.width, 3 * layer.width)
        self.answer = nn.Linear(layer.width, layer.width)
        # By head and distance.
        self.distance = nn.Parameter(torch.zeros(layer.heads, layer.window))
        self.after = nn.Sequential(
            nn.LayerNorm(layer.width),
            nn.Linear(layer.width, _WIDER * layer.width),
            nn.GELU(),
            nn.Linear(_WIDER * layer.width, layer.width),
        )

    @property
    def state_size(self) -> int:
        """Return how many numbers are remembered of a sequence."""
        return self.window * self.width + 1

    def forward(self, rows: Tensor, sizes: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return features of all rows, and what is remembered: see `MemoryBody`."""
        entered: Tensor = self.enter(rows)
        place, sequence = find_places(sizes)
        count, length = int(sizes[0]), len(sizes)
        inputs = entered.new_zeros(count, length, self.width).index_put((sequence, place), entered)
        held = state[:, :-1].reshape(count, self.window, self.width)
        known = state[:, -1]
        has_past = bool((known > 0).any())
        # Where nothing is remembered, there is nothing to look at.
        seen = torch.cat((held, inputs), dim=1) if has_past else inputs
        found = self._attend(seen, length, known if has_past else None)
        features = inputs + self.answer(found)
        features = features + self.after(features)
        return features[sequence, place], self._remember(held, inputs, sizes, known)

    def step(self, rows: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return features of one row of each sequence, and what is remembered after it."""
        entered: Tensor = self.enter(rows)
        held = state[:, :-1].reshape(-1, self.window, self.width)
        # The row takes the place of the oldest one.
        seen = torch.cat((held[:, 1:], entered.unsqueeze(1)), dim=1)
        number = (state[:, -1:] + 1).clamp(max=self.window)
        parts = self.ask(self.before(seen))
        query, key, value = (
            part.reshape(-1, self.window, self.heads, self.width // self.heads)
            for part in parts.chunk(3, dim=2)
        )
        wants = (query[:, -1:] * key).sum(dim=3) / (self.width // self.heads) ** 0.5
        # The last place is at distance 0.
        wants = wants + self.distance.flip(1).t()
        age = torch.arange(self.window - 1, -1, -1, device=rows.device)
        wants = wants.masked_fill((age >= number).unsqueeze(2), _NEVER)
        found = (wants.softmax(dim=1).unsqueeze(3) * value).sum(dim=1).flatten(1)
        features = entered + self.answer(found)
        features = features + self.after(features)
        return features, torch.cat((seen.flatten(1), number), dim=1)

    def _attend(self, seen: Tensor, length: int, known: Tensor | None) -> Tensor:
        """Return what the last rows of all that is seen find in it.

        - known: how many of the rows before these are real, by sequence; None: there are none
        """
        count, wide, _ = seen.shape
        before = wide - length
        parts = self.ask(self.before(seen)).reshape(count, wide, 3, self.heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        places = torch.arange(wide, device=seen.device)
        distance = places[before:, None] - places
        can_see = (distance >= 0) & (distance < self.window)
        bias = self.distance[:, distance.clamp(0, self.window - 1)]
        mask = bias.masked_fill(~can_see, _NEVER).unsqueeze(0)
        if known is not None:
            is_empty = places < before - known[:, None]
            mask = mask.expand(count, -1, -1, -1).masked_fill(is_empty[:, None, None], _NEVER)
        asked = query[:, :, before:]
        found = functional.scaled_dot_product_attention(asked, key, value, attn_mask=mask)
        return found.transpose(1, 2).reshape(count, length, self.width)

    def _remember(self, held: Tensor, inputs: Tensor, sizes: Tensor, known: Tensor) -> Tensor:
        """Return the last rows of each sequence, and how many they are."""
        ranks = torch.arange(len(inputs), device=inputs.device)
        lengths = (sizes[:, None] > ranks).sum(dim=0)
        last = lengths[:, None] + torch.arange(self.window, device=inputs.device)
        rows = torch.cat((held, inputs), dim=1)
        kept = rows.gather(1, last.unsqueeze(2).expand(-1, -1, self.width)).flatten(1)
        number = (known + lengths).clamp(max=self.window).unsqueeze(1)
        return torch.cat((kept, number), dim=1)


def find_places(sizes: Tensor) -> tuple[Tensor, Tensor]:
    """Return the place of each row in its sequence, and which sequence that is.

    - sizes: int64, how many sequences have a first row, a second one, …
    """
    place = torch.repeat_interleave(torch.arange(len(sizes)), sizes)
    first = sizes.cumsum(0) - sizes
    return place, torch.arange(len(place)) - first[place]
