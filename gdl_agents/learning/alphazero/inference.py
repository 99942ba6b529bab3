"""The network as it plays: a copy that is quick to compute with.

On processors it is compiled, where all of its layers can be. Elsewhere PyTorch computes it:
convolutions in bfloat16, with channels last, take half of the time of float32 on processors that
compute with such numbers, at hundreds of positions a time.
"""

from __future__ import annotations

from copy import deepcopy

import numpy as np
from numpy.typing import NDArray
import torch

from gdl_agents.learning.alphazero.compiled_network import (
    CompiledNetwork,
    UnknownLayerError,
    find_tile,
)
from gdl_agents.learning.alphazero.model import PolicyValueNetwork, use_channels_last


class Inference:
    """Answers what a network says about observations."""

    def __init__(self, network: PolicyValueNetwork, precision: str = 'auto') -> None:
        """Copy the network; `refresh` takes over weights that were learned since."""
        compiled = _compile(network) if precision == 'auto' else None
        self._copy: CompiledNetwork | _Copy = compiled or _Copy(network, precision)

    def refresh(self) -> None:
        """Take over the weights of the network."""
        self._copy.refresh()

    def evaluate(self, seen: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return logits of actions, and values from 0 to 1, of observations, one a row."""
        return self._copy.evaluate(seen)


class _Copy:
    """A network that PyTorch computes."""

    def __init__(self, network: PolicyValueNetwork, precision: str) -> None:
        self._source = network
        if precision == 'auto':
            precision = 'bfloat16' if _has_bfloat16(network.device) else 'float32'
        self._type = torch.bfloat16 if precision == 'bfloat16' else torch.float32
        self._network = deepcopy(network).to(dtype=self._type)
        use_channels_last(self._network)
        self._network.eval().requires_grad_(False)

    def refresh(self) -> None:
        with torch.no_grad():
            own = self._network.state_dict()
            for name, value in self._source.state_dict().items():
                own[name].copy_(value)

    def evaluate(self, seen: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        with torch.inference_mode():
            rows = torch.from_numpy(seen).to(self._network.device, self._type)
            logits, values = self._network(rows)
            logits, values = logits.float(), torch.sigmoid(values.float())
        return logits.cpu().numpy(), values.cpu().numpy()


def _compile(network: PolicyValueNetwork) -> CompiledNetwork | None:
    """Return the network for compiled loops; None where it cannot run so, or not well."""
    tile = find_tile() if network.device.type == 'cpu' else 0
    try:
        return CompiledNetwork(network, tile) if tile else None
    except UnknownLayerError:
        return None


def _has_bfloat16(device: torch.device) -> bool:
    """Tell whether a device computes with bfloat16; others would only convert to and fro."""
    if device.type == 'cpu':
        try:
            return bool(torch.cpu._is_avx512_bf16_supported())
        except AttributeError:
            return False
    return device.type == 'cuda' and torch.cuda.is_bf16_supported(including_emulation=False)
