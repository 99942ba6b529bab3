"""What the values of actions should be: the mathematics of DQN and Rainbow, in batches."""

from __future__ import annotations

import torch
from torch import Tensor


def best_action(values: Tensor, legal: Tensor) -> Tensor:
    """Return the best legal action of each row; any action where none is legal."""
    return values.masked_fill(~legal, -torch.inf).argmax(dim=1)


def mean_values(outputs: Tensor, support: Tensor) -> Tensor:
    """Return the values of actions from what a network says: means, or logits on a support."""
    if outputs.dim() == 2:
        return outputs
    return outputs.softmax(dim=2) @ support


def take(outputs: Tensor, action: Tensor) -> Tensor:
    """Return what a network says of one action of each row."""
    return outputs[torch.arange(len(action), device=outputs.device), action]


def scalar_target(reward: Tensor, discount: Tensor, value: Tensor) -> Tensor:
    """Return what the value of a decision should be."""
    return reward + discount * value


def project(reward: Tensor, discount: Tensor, share: Tensor, support: Tensor) -> Tensor:
    """Return the distribution of reward + discount * value on the points of the support.

    `share` (rows by points) is the distribution of the value. Mass between two points goes to
    both, the nearer one gets more; what lies outside goes to the border.
    """
    points = len(support)
    low, high = support[0], support[-1]
    moved = (reward[:, None] + discount[:, None] * support[None, :]).clamp(low, high)
    # Rounding must not lead beyond the last point.
    place = ((moved - low) * ((points - 1) / (high - low))).clamp(0, points - 1)
    below = place.floor()
    part = place - below
    index = below.long()
    result = torch.zeros_like(share)
    result.scatter_add_(1, index, share * (1 - part))
    result.scatter_add_(1, (index + 1).clamp(max=points - 1), share * part)
    return result
