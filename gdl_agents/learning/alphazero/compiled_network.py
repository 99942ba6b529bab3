"""A network as a program for compiled loops: quick for any number of observations.

PyTorch takes a quarter of a millisecond for a single observation, however small a network is, and
several times the time of its arithmetic for some dozens. What is computed here is the same, up to
the rounding of sums.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import binding
import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from gdl_agents.learning.alphazero.model import PolicyValueNetwork
from gdl_agents.learning.alphazero.network_kernels import (
    CHUNK,
    STEP_COLUMNS,
    TILE_OUTPUTS,
    NetworkProgram,
    run_network,
)
from gdl_agents.learning.networks.body import Eyes, ResidualBlock

# Rows of a tile: as many as registers can hold the sums of.
_WIDE_TILE, _NARROW_TILE = 7, 3


class UnknownLayerError(Exception):
    """A network has a layer that is not compiled."""


def find_tile() -> int:
    """Return how many rows a tile should have on this processor; 0: PyTorch is quicker."""
    features = binding.get_host_cpu_features()
    if features.get('avx512f'):
        return _WIDE_TILE
    return _NARROW_TILE if features.get('avx2') and features.get('fma') else 0


class CompiledNetwork:
    """Answers what a network says about observations; `refresh` takes over its weights."""

    def __init__(self, network: PolicyValueNetwork, tile: int) -> None:
        """Write the program. Raises UnknownLayerError."""
        self._network = network
        self._tile = tile
        self._players, self._actions = network.players, network.actions
        self._program = _Writer().write(network)

    def refresh(self) -> None:
        """Take over the weights of the network."""
        self._program.weights[:] = _Writer().write(self._network).weights

    def evaluate(self, seen: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return logits of actions, and values from 0 to 1, of observations, one a row."""
        logits = np.empty((len(seen), self._players * self._actions), np.float32)
        values = np.empty((len(seen), self._players), np.float32)
        run_network(self._program, seen, self._tile, logits, values)
        shape = len(seen), self._players, self._actions
        chances: NDArray[np.float32] = np.float32(1) / (1 + np.exp(-values))
        return logits.reshape(shape), chances


class _Writer:
    """Writes a program, layer by layer."""

    def __init__(self) -> None:
        self._steps: list[list[int]] = []
        self._weights: list[NDArray[np.float32]] = []
        self._taps: list[int] = []
        self._size = self._weight_count = 0

    def write(self, network: PolicyValueNetwork) -> NetworkProgram:
        """Return the program of a network. Raises UnknownLayerError."""
        eyes: Eyes | None = None
        flat: nn.Module = network.body
        if isinstance(flat, nn.Sequential) and len(flat) and isinstance(flat[0], Eyes):
            eyes, flat = flat[0], flat[1]
        cells = np.zeros(0, np.int64)
        board = np.zeros(10, np.int64)
        if eyes is not None:
            cells, beside = self._write_board(eyes, board)
            features = eyes.features
        else:
            linear = next((m for m in network.modules() if isinstance(m, nn.Linear)), None)
            features = linear.in_features if linear is not None else 0
            beside = np.arange(features)
        board_steps = len(self._steps)
        rows, stride = self._reserve(CHUNK * features), features
        board[8], board[9] = rows, stride
        rows, stride = self._write_rows(_layers(flat), rows, stride)
        policy = self._write_rows([network.policy], rows, stride)
        values = self._write_rows(list(network.value), rows, stride)
        return NetworkProgram(
            np.array(self._steps, np.int64).reshape(-1, STEP_COLUMNS),
            board_steps,
            np.concatenate(self._weights),
            np.array(self._taps, np.int64),
            cells,
            beside.astype(np.int64),
            board,
            np.array([*policy, *values], np.int64),
            np.zeros(self._size, np.float32),
        )

    # ---- the board

    def _write_board(
        self, eyes: Eyes, board: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Write the layers on a board; return which entries its cells and its side show."""
        layers = [m for m in _layers(eyes.convolutions) if not isinstance(m, nn.ReLU)]
        kernels = [m.kernel_size[0] for m in eyes.modules() if isinstance(m, nn.Conv2d)]
        rows, columns, channels = eyes.board.rows, eyes.board.columns, eyes.board.channels
        margin = max(kernels) // 2
        wide = columns + 2 * margin
        area = (rows + 2 * margin) * wide
        here, stride = self._reserve(area * channels), channels
        board[:4] = rows, columns, margin, channels
        board[6] = here
        leaving = channels
        for layer in layers:
            if isinstance(layer, nn.Conv2d):
                here, stride = self._write_convolution(layer, here, stride, area, wide, -1)
                leaving = layer.out_channels
            elif isinstance(layer, ResidualBlock):
                first, second = _find_pair(layer, stride)
                inner, width = self._write_convolution(first, here, stride, area, wide, -1)
                here, stride = self._write_convolution(second, inner, width, area, wide, here)
            else:
                raise UnknownLayerError(str(layer))
        board[4], board[5], board[7] = leaving, stride, here
        cells = eyes.board.cells.cpu().numpy().reshape(channels, rows, columns)
        # The largest is that of 1, which some cell always has; the one before that of 0.
        one = cells.max()
        shown = np.where(cells == one - 1, -1, np.where(cells == one, -2, cells))
        shown = np.ascontiguousarray(shown.transpose(1, 2, 0)).reshape(-1)
        return shown, eyes.board.beside.cpu().numpy()

    def _write_convolution(
        self, layer: nn.Module, source: int, stride: int, area: int, wide: int, skip: int
    ) -> tuple[int, int]:
        """Write a convolution with its activation; return where its outputs are, cell by cell."""
        assert isinstance(layer, nn.Conv2d)
        kernel, half = layer.kernel_size[0], layer.kernel_size[0] // 2
        width = _round_up(layer.out_channels)
        target = self._reserve(area * width)
        reach = range(-half, kernel - half)
        taps = [(down * wide + right) * stride for down in reach for right in reach]
        weights = layer.weight.detach().permute(2, 3, 1, 0).reshape(-1, layer.out_channels)
        places = source, target, skip
        self._write_step(places, weights, layer.bias, taps, layer.in_channels, stride, is_cut=True)
        return target, width

    # ---- rows of a batch

    def _write_rows(
        self, layers: Sequence[nn.Module], source: int, stride: int
    ) -> tuple[int, int]:
        """Write layers on rows; return where the rows of the last one are, and their distance."""
        for number, layer in enumerate(layers):
            if isinstance(layer, nn.Linear):
                is_cut = number + 1 < len(layers) and isinstance(layers[number + 1], nn.ReLU)
                source, stride = self._write_linear(layer, source, stride, -1, is_cut=is_cut)
            elif isinstance(layer, ResidualBlock):
                first, second = _find_pair(layer, stride)
                inner, width = self._write_linear(first, source, stride, -1, is_cut=True)
                source, stride = self._write_linear(second, inner, width, source, is_cut=True)
            elif not isinstance(layer, nn.ReLU):
                raise UnknownLayerError(str(layer))
        return source, stride

    def _write_linear(
        self, layer: nn.Module, source: int, stride: int, skip: int, *, is_cut: bool
    ) -> tuple[int, int]:
        assert isinstance(layer, nn.Linear)
        width = _round_up(layer.out_features)
        target = self._reserve(CHUNK * width)
        weights = layer.weight.detach().T
        places = source, target, skip
        self._write_step(
            places, weights, layer.bias, [0], layer.in_features, stride, is_cut=is_cut
        )
        return target, width

    def _write_step(
        self,
        places: tuple[int, int, int],
        weights: Tensor,
        bias: Tensor | None,
        taps: list[int],
        inputs: int,
        stride: int,
        *,
        is_cut: bool,
    ) -> None:
        """Write a layer: weights are by input and output, inputs tap by tap."""
        outputs = weights.shape[1]
        width = _round_up(outputs)
        padded = np.zeros((len(weights), width), np.float32)
        padded[:, :outputs] = weights.cpu().numpy()
        # Block by block: those of a tile lie side by side.
        blocks = padded.reshape(len(weights), -1, TILE_OUTPUTS).transpose(1, 0, 2)
        shifts = np.zeros(width, np.float32)
        if bias is not None:
            shifts[:outputs] = bias.detach().cpu().numpy()
        source, target, skip = places
        first = len(self._taps)
        begin = self._weight_count
        self._steps.append(
            [
                *(source, target, skip, int(is_cut), begin, begin + blocks.size),
                *(first, first + len(taps), inputs, stride, width, width // TILE_OUTPUTS),
            ]
        )
        self._taps += taps
        self._weights += [blocks.reshape(-1), shifts]
        self._weight_count += blocks.size + width

    def _reserve(self, size: int) -> int:
        """Return the first place of so much room."""
        place = self._size
        self._size += _round_up(size)
        return place


def _layers(module: nn.Module) -> list[nn.Module]:
    """Return the layers of a stack. Raises UnknownLayerError for one that is not compiled."""
    known = (nn.Linear, nn.Conv2d, nn.ReLU, ResidualBlock)
    if not isinstance(module, nn.Sequential):
        raise UnknownLayerError(str(module))
    for layer in module:
        if not isinstance(layer, known):
            raise UnknownLayerError(str(layer))
    return list(module)


def _find_pair(block: ResidualBlock, stride: int) -> list[nn.Module]:
    """Return the two layers of a block whose inputs are so far apart, row by row.

    Raises UnknownLayerError.
    """
    if not isinstance(block.activation, nn.ReLU):
        raise UnknownLayerError(str(block.activation))
    first, second = (m for m in _layers(block.inner) if not isinstance(m, nn.ReLU))
    if stride != _round_up(_count_outputs(second)):
        # What is added lies as far apart as the sums.
        raise UnknownLayerError(str(block))
    return [first, second]


def _count_outputs(layer: nn.Module) -> int:
    if isinstance(layer, nn.Conv2d):
        return layer.out_channels
    assert isinstance(layer, nn.Linear)
    return layer.out_features


def _round_up(size: int) -> int:
    return -(-size // TILE_OUTPUTS) * TILE_OUTPUTS
