"""How a network grows: wider, deeper, or by another one beside it."""

from __future__ import annotations

from dataclasses import replace

from gdl_agents.learning.networks.layers import MEMORIES, Conv, Layer, Linear, Residual
from gdl_agents.learning.networks.spec import NetworkSpec

# Beyond these a network does not grow.
_WIDEST_LINEAR = 4096
_WIDEST_CONV = 512
_MOST_LAYERS = 32
_MOST_BLOCKS = 40
_MOST_PARTS = 8
# Of the first layer of a network that has none.
_FIRST_WIDTH = 32


def grow(spec: NetworkSpec) -> tuple[NetworkSpec, ...]:
    """Return the networks that are one step larger; none where all limits are reached."""
    return tuple(dict.fromkeys(larger for larger in (widen(spec), deepen(spec)) if larger != spec))


def widen(spec: NetworkSpec) -> NetworkSpec:
    """Return the network with layers twice as wide, but for those that would be too wide."""
    beside = tuple(map(widen, spec.beside))
    return replace(spec, layers=tuple(map(_widen, spec.layers)), beside=beside)


def deepen(spec: NetworkSpec) -> NetworkSpec:
    """Return the network with one more block on the board, or without one one more linear layer.

    The same network if it is as deep as networks become. Of several side by side the last grows.
    """
    if spec.beside:
        *others, last = spec.beside
        return replace(spec, beside=(*others, deepen(last)))
    board, flat = spec.parts
    if not board:
        if len(flat) >= _MOST_LAYERS:
            return spec
        if spec.norm != 'none' and flat:
            # A block can begin by adding nothing; a layer with a norm changes what it is given.
            return replace(spec, layers=_add_block(flat))
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


def join(spec: NetworkSpec) -> NetworkSpec:
    """Return the network with a copy of its last part beside it, up to a limit."""
    if len(spec.all_parts) >= _MOST_PARTS or spec.has_memory:
        return spec
    return replace(spec, beside=(*spec.beside, replace(spec.all_parts[-1], name='beside')))


def grow_or_join(spec: NetworkSpec) -> tuple[NetworkSpec, ...]:
    """Return the networks that are one step larger, with one that has another beside it."""
    joined = join(spec)
    return grow(spec) if joined == spec else (*grow(spec), joined)


def _add_block(layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    *before, last = layers
    if isinstance(last, Residual) and last.blocks < _MOST_BLOCKS:
        return (*before, replace(last, blocks=last.blocks + 1))
    return layers if isinstance(last, Residual) else (*layers, Residual(1))


def _widen(layer: Layer) -> Layer:
    # Twice or not at all: only then does a norm see the same as before.
    if isinstance(layer, (Linear, *MEMORIES)):
        return replace(layer, width=_double(layer.width, _WIDEST_LINEAR))
    if isinstance(layer, Conv):
        return replace(layer, channels=_double(layer.channels, _WIDEST_CONV))
    return layer


def _double(width: int, most: int) -> int:
    return 2 * width if 2 * width <= most else width
