"""How many cores PyTorch takes."""

from __future__ import annotations

import torch


def use_threads(number: int) -> None:
    """Let this process compute in so many threads; several nodes share a machine."""
    torch.set_num_threads(number)
