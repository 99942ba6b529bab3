"""From the description of a network to its body, on which any head can stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from gdl_agents.learning.networks.board import BoardLayer
from gdl_agents.learning.networks.errors import NetworkError
from gdl_agents.learning.networks.layers import Conv, Layer, Residual
from gdl_agents.learning.networks.shape import Shape
from gdl_agents.learning.networks.spec import NetworkSpec
from gdl_env.engine.mapping import Planes

_ACTIVATIONS: Mapping[str, type[nn.Module]] = {
    'relu': nn.ReLU,
    'elu': nn.ELU,
    'gelu': nn.GELU,
    'silu': nn.SiLU,
    'tanh': nn.Tanh,
}


def build_body(spec: NetworkSpec, shape: Shape) -> tuple[nn.Module, int]:
    """Return a module from [B, observation_size] to [B, features], and the number of features.

    Raises NetworkError where the network does not fit the shape, or remembers.
    """
    spec.check(shape)
    if spec.has_memory:
        raise NetworkError(
            f'{spec.name}: {spec}: gru, lstm and attention remember what came before, which only'
            ' networks of the algorithms mmd and sequence do; use linear'
        )
    if spec.beside:
        bodies = [build_body(part, shape) for part in spec.all_parts]
        return JoinedBodies([body for body, _ in bodies]), sum(size for _, size in bodies)
    board_layers, flat_layers = spec.parts
    if not board_layers or shape.planes is None:
        return stack_layers(flat_layers, shape.observation_size, spec)
    eyes = Eyes(shape.planes, board_layers, spec)
    flat, features = stack_layers(flat_layers, eyes.features, spec)
    return nn.Sequential(eyes, flat), features


class JoinedBodies(nn.Module):
    """Bodies side by side that see the same; their features are joined."""

    def __init__(self, bodies: Sequence[nn.Module]) -> None:
        super().__init__()
        self.bodies = nn.ModuleList(bodies)

    def forward(self, observation: Tensor) -> Tensor:
        """Return the features of all bodies."""
        return torch.cat([body(observation) for body in self.bodies], dim=1)


class Eyes(nn.Module):
    """Convolutions over the board, and then all that they found beside what is on no board."""

    def __init__(self, planes: Planes, layers: Sequence[Layer], spec: NetworkSpec) -> None:
        super().__init__()
        self.board = BoardLayer(planes)
        self.convolutions, channels = stack_layers(layers, self.board.channels, spec)
        self.features = channels * self.board.rows * self.board.columns + len(self.board.beside)

    def forward(self, observation: Tensor) -> Tensor:
        """Return what convolutions find, cell by cell, and the entries beside the board."""
        board, beside = self.board(observation)
        return torch.cat((self.convolutions(board).flatten(1), beside), dim=1)


class ResidualBlock(nn.Module):
    """Two layers, and their input added to their output before the last activation."""

    def __init__(self, width: int, kernel: int | None, spec: NetworkSpec) -> None:
        super().__init__()
        first = _weights(width, width, kernel, spec)
        second = _weights(width, width, kernel, spec)
        self.inner = nn.Sequential(*first, _ACTIVATIONS[spec.activation](), *second)
        self.activation = _ACTIVATIONS[spec.activation]()

    def forward(self, values: Tensor) -> Tensor:
        """Return values of the same shape."""
        found: Tensor = self.activation(values + self.inner(values))
        return found


def stack_layers(layers: Sequence[Layer], width: int, spec: NetworkSpec) -> tuple[nn.Module, int]:
    """Return layers of one kind, all on the board or all flat, and the width of the last."""
    modules: list[nn.Module] = []
    is_board = bool(layers) and isinstance(layers[0], Conv)
    for layer in layers:
        if isinstance(layer, Residual):
            kernel = layer.kernel if is_board else None
            modules += [ResidualBlock(width, kernel, spec) for _ in range(layer.blocks)]
            continue
        if isinstance(layer, Conv):
            wanted, kernel = layer.channels, layer.kernel
        else:
            wanted, kernel = layer.width, None
        modules += [*_weights(width, wanted, kernel, spec), _ACTIVATIONS[spec.activation]()]
        width = wanted
    return nn.Sequential(*modules), width


def _weights(inputs: int, outputs: int, kernel: int | None, spec: NetworkSpec) -> list[nn.Module]:
    """Return a layer without its activation: linear, or a convolution if there is a kernel."""
    modules: list[nn.Module]
    if kernel is None:
        modules = [nn.Linear(inputs, outputs)]
        norm: nn.Module = nn.LayerNorm(outputs)
    else:
        modules = [nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2)]
        # One group is the whole board: layer normalisation for boards of any size.
        norm = nn.GroupNorm(1, outputs)
    return [*modules, norm] if spec.norm == 'layer' else modules
