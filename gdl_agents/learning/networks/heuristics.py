"""The networks that come without being asked for, from sizes, board and complexity of a game.

Rules of thumb, each a line below; a better one is another function with another name.
"""

from __future__ import annotations

from gdl_agents.learning.networks.generators import register_generator
from gdl_agents.learning.networks.layers import Conv, Layer, Linear, Residual
from gdl_agents.learning.networks.shape import Shape
from gdl_agents.learning.networks.spec import NetworkSpec
from gdl_env.engine.mapping import Planes

_NARROWEST, _WIDEST = 64, 1024
# Of several linear layers in a row: on a processor, wider ones take most of the time of training.
_WIDEST_OF_MANY = 256
# Features times actions at most: the head has that many weights for each atom.
_LARGEST_HEAD = 2**17
# Features that leave the board at most: the next layer has this times its width.
_LARGEST_BOARD = 2**11
# On a smaller board a convolution sees everything at once, as a linear layer does, at more cost.
_SMALLEST_SIDE = 4
# Of narrow convolutions: channels, and what leaves the board, cell by cell.
_FEW_CHANNELS, _NARROW = 32, 8


@register_generator('default')
def default(shape: Shape) -> NetworkSpec:
    """Return convolutions where most of what is seen is a board, linear layers elsewhere."""
    layers = _board_layers(shape)
    if not layers:
        return flat(shape)
    # The convolutions do most of the work: one linear layer puts their findings together.
    layers.append(Linear(_last_width(shape)))
    return NetworkSpec(tuple(layers), norm='layer', name='default')


@register_generator('flat')
def flat(shape: Shape) -> NetworkSpec:
    """Return linear layers, whether there is a board or not."""
    width = min(_width(shape), _WIDEST_OF_MANY)
    layers = [Linear(width) for _ in range(_depth(shape) - 1)]
    return NetworkSpec((*layers, Linear(min(width, _last_width(shape)))), name='flat')


@register_generator('small')
def small(shape: Shape) -> NetworkSpec:
    """Return one small layer: what a search grows from."""
    board: list[Layer] = [Conv(8)] if _is_board_game(shape) else []
    return NetworkSpec((*board, Linear(32)), name='small')


def find_narrow_layers(planes: Planes) -> list[Layer]:
    """Return a few narrow convolutions, for networks that are asked at every step of a game."""
    # Each convolution sees one cell further: three see 7 x 7 cells, each block two cells more.
    blocks = 1 if max(planes.shape[1:]) <= 8 else 2
    return [Conv(_FEW_CHANNELS), Residual(blocks), Conv(_NARROW, kernel=1)]


def _width(shape: Shape) -> int:
    """Return a width with room for everything that is seen or done, twice."""
    return _power_of_two(2 * (shape.observation_size + shape.action_size), _NARROWEST, _WIDEST)


def _last_width(shape: Shape) -> int:
    """Return the width of the last layer: less where there are thousands of actions."""
    room = _LARGEST_HEAD // shape.action_size
    return min(_width(shape), max(_NARROWEST, 1 << max(0, room.bit_length() - 1)))


def _depth(shape: Shape) -> int:
    """Return a number of layers: 2, and 1 more for every doubling of the rules beyond 32."""
    return 2 + _doublings(shape, at_most=3)


def _board_layers(shape: Shape) -> list[Layer]:
    if shape.planes is None or not _is_board_game(shape):
        return []
    channels, rows, columns = shape.planes.shape
    width = _power_of_two(16 * channels, 32, 128)
    # Each convolution sees one cell further: with two a block, and the one before them, they see
    # from the middle to the edge.
    blocks = min(max(1, max(rows, columns) // 4) + _doublings(shape, at_most=3), 10)
    layers: list[Layer] = [Conv(width), Residual(blocks)]
    # What leaves the board is narrowed cell by cell, as many features as fit.
    narrow = max(1, _LARGEST_BOARD // (rows * columns))
    if narrow < width:
        layers.append(Conv(narrow, kernel=1))
    return layers


def _is_board_game(shape: Shape) -> bool:
    """Tell whether the board is worth convolutions: not tiny, and most of what is seen."""
    if shape.planes is None:
        return False
    _, rows, columns = shape.planes.shape
    beside = len(shape.planes.remainder)
    return min(rows, columns) >= _SMALLEST_SIDE and 2 * beside <= shape.observation_size


def _doublings(shape: Shape, at_most: int) -> int:
    """Return how often the rules of an easy game, 32, must be doubled to be as many."""
    return min(max(0, (shape.complexity - 1) // 32).bit_length(), at_most)


def _power_of_two(size: int, least: int, most: int) -> int:
    """Return the next power of two, between bounds."""
    return min(max(1 << max(0, size - 1).bit_length(), least), most)
