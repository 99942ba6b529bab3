"""The network of AlphaZero by default: small, since search asks it at every step of self-play."""

from __future__ import annotations

from gdl_agents.learning.networks.generators import register_generator
from gdl_agents.learning.networks.layers import Conv, Layer, Linear, Residual
from gdl_agents.learning.networks.shape import Shape
from gdl_agents.learning.networks.spec import NetworkSpec

LIGHT = 'light'
# Channels of convolutions, and of what leaves the board, cell by cell.
_CHANNELS, _NARROW = 32, 8
_WIDTH = 128
# A board with smaller sides is read by linear layers at once.
_SMALLEST_SIDE = 4


@register_generator(LIGHT)
def light(shape: Shape) -> NetworkSpec:
    """Return a few narrow convolutions where there is a board, two linear layers elsewhere."""
    if shape.planes is None or min(shape.planes.shape[1:]) < _SMALLEST_SIDE:
        return NetworkSpec((Linear(2 * _WIDTH), Linear(_WIDTH)), name=LIGHT)
    # Each convolution sees one cell further: three see 7 x 7 cells, each block two cells more.
    blocks = 1 if max(shape.planes.shape[1:]) <= 8 else 2
    layers: list[Layer] = [Conv(_CHANNELS), Residual(blocks), Conv(_NARROW, kernel=1)]
    return NetworkSpec((*layers, Linear(_WIDTH)), name=LIGHT)
