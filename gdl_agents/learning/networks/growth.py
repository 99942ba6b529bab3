"""How a network grows: wider, or deeper."""

from __future__ import annotations

from dataclasses import replace

from gdl_agents.learning.networks.layers import Conv, Gru, Layer, Linear, Lstm, Residual
from gdl_agents.learning.networks.spec import NetworkSpec

# Beyond these a network does not grow.
_WIDEST_LINEAR = 4096
_WIDEST_CONV = 512
_MOST_LAYERS = 32
_MOST_BLOCKS = 40
# Of the first layer of a network that has none.
_FIRST_WIDTH = 32


def grow(spec: NetworkSpec) -> tuple[NetworkSpec, ...]:
    """Return the networks that are one step larger; none where all limits are reached."""
    return tuple(dict.fromkeys(larger for larger in (widen(spec), deepen(spec)) if larger != spec))


def widen(spec: NetworkSpec) -> NetworkSpec:
    """Return the network with layers twice as wide, up to a limit."""
    return replace(spec, layers=tuple(map(_widen, spec.layers)))


def deepen(spec: NetworkSpec) -> NetworkSpec:
    """Return the network with one more block on the board, or without one one more linear layer.

    The same network if it is as deep as networks become.
    """
    board, flat = spec.parts
    if not board:
        if len(flat) >= _MOST_LAYERS:
            return spec
        widths = [layer.width for layer in flat if isinstance(layer, Linear)]
        return replace(spec, layers=(*flat, Linear(widths[-1] if widths else _FIRST_WIDTH)))
    places = [place for place, layer in enumerate(board) if isinstance(layer, Residual)]
    if not places:
        # After the first convolution: later ones may narrow what leaves the board.
        return replace(spec, layers=(board[0], Residual(1), *board[1:], *flat))
    block = board[places[-1]]
    if not isinstance(block, Residual) or block.blocks >= _MOST_BLOCKS:
        return spec
    deeper = replace(block, blocks=block.blocks + 1)
    return replace(spec, layers=(*board[: places[-1]], deeper, *board[places[-1] + 1 :], *flat))


def _widen(layer: Layer) -> Layer:
    if isinstance(layer, Linear | Gru | Lstm):
        return replace(layer, width=max(layer.width, min(2 * layer.width, _WIDEST_LINEAR)))
    if isinstance(layer, Conv):
        channels = max(layer.channels, min(2 * layer.channels, _WIDEST_CONV))
        return replace(layer, channels=channels)
    return layer
