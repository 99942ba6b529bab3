"""Linear layers that explore by noise on their weights."""

from __future__ import annotations

from math import sqrt

import torch
from torch import Tensor, nn
from torch.nn import functional


class NoisyLinear(nn.Module):
    """A linear layer whose weights are a learned mean plus learned deviations times noise.

    As in Fortunato et al., "Noisy Networks for Exploration" (2018), with factorised noise: one
    number for each input and one for each output. Noise stays the same until `reset_noise`; in
    evaluation mode there is none, and the means are the weights.
    """

    def __init__(self, inputs: int, outputs: int, sigma: float = 0.5) -> None:
        super().__init__()
        bound = 1 / sqrt(inputs)
        self.weight = nn.Parameter(torch.empty(outputs, inputs).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(outputs).uniform_(-bound, bound))
        self.weight_sigma = nn.Parameter(torch.full((outputs, inputs), sigma * bound))
        self.bias_sigma = nn.Parameter(torch.full((outputs,), sigma * bound))
        # Not persistent: a checkpoint holds what is learned.
        self.input_noise: Tensor
        self.output_noise: Tensor
        self.register_buffer('input_noise', torch.zeros(inputs), persistent=False)
        self.register_buffer('output_noise', torch.zeros(outputs), persistent=False)
        # A layer that is only counted has no numbers to draw, and PyTorch is slow to say so.
        if not self.weight.is_meta:
            self.reset_noise()

    def reset_noise(self, generator: torch.Generator | None = None) -> None:
        """Draw new noise, from the global generator of PyTorch if none is given."""
        for noise in (self.input_noise, self.output_noise):
            device = noise.device if generator is None else generator.device
            drawn = torch.randn(noise.shape, generator=generator, device=device)
            noise.copy_(drawn.sign() * drawn.abs().sqrt())

    def forward(self, values: Tensor) -> Tensor:
        """Return the weighted sums, with noise in training mode only."""
        if not self.training:
            return functional.linear(values, self.weight, self.bias)
        noise = torch.outer(self.output_noise, self.input_noise)
        weight = torch.addcmul(self.weight, self.weight_sigma, noise)
        bias = torch.addcmul(self.bias, self.bias_sigma, self.output_noise)
        return functional.linear(values, weight, bias)
