"""The network of AlphaZero by default: small, since search asks it at every step of self-play."""

from __future__ import annotations

from gdl_agents.learning.networks.generators import register_generator
from gdl_agents.learning.networks.heuristics import find_narrow_layers
from gdl_agents.learning.networks.layers import Linear
from gdl_agents.learning.networks.shape import Shape
from gdl_agents.learning.networks.spec import NetworkSpec

LIGHT = 'light'
_WIDTH = 128
# A board with smaller sides is read by linear layers at once.
_SMALLEST_SIDE = 4


@register_generator(LIGHT)
def light(shape: Shape) -> NetworkSpec:
    """Return a few narrow convolutions where there is a board, two linear layers elsewhere."""
    if shape.planes is None or min(shape.planes.shape[1:]) < _SMALLEST_SIDE:
        return NetworkSpec((Linear(2 * _WIDTH), Linear(_WIDTH)), name=LIGHT)
    return NetworkSpec((*find_narrow_layers(shape.planes), Linear(_WIDTH)), name=LIGHT)
