"""The layers a network is put together from, as plain values.

To add one: a class here, an entry of LAYERS, and a case in `body.py`.
"""

from __future__ import annotations

from collections.abc import Mapping as MappingABC
from dataclasses import dataclass, fields
from typing import TypeAlias

from gdl_agents.learning.networks.errors import NetworkError


@dataclass(frozen=True)
class Linear:
    """A fully connected layer, with its activation."""

    width: int

    def __str__(self) -> str:
        return f'linear {self.width}'

    def __post_init__(self) -> None:
        _check_integer('width', self.width, 65_536)


@dataclass(frozen=True)
class Conv:
    """A convolution over the board, which keeps the size of the board, with its activation."""

    channels: int
    kernel: int = 3

    def __str__(self) -> str:
        return f'conv {self.channels} ({self.kernel}x{self.kernel})'

    def __post_init__(self) -> None:
        _check_integer('channels', self.channels, 4_096)
        _check_integer('kernel', self.kernel, 31)
        if self.kernel % 2 == 0:
            # Only then does the board keep its size with the same margin on all sides.
            raise NetworkError(f'kernel must be odd, got {self.kernel}')


@dataclass(frozen=True)
class Residual:
    """Blocks of two layers around which the input passes by; they keep the width before them.

    After convolutions these are convolutions, after linear layers linear ones.
    """

    blocks: int
    # Of convolutions.
    kernel: int = 3

    def __str__(self) -> str:
        return f'residual {self.blocks}'

    def __post_init__(self) -> None:
        _check_integer('blocks', self.blocks, 256)
        Conv(1, self.kernel)


@dataclass(frozen=True)
class Gru:
    """Gated recurrent units: they remember what was seen and done before in the match."""

    width: int

    def __str__(self) -> str:
        return f'gru {self.width}'

    def __post_init__(self) -> None:
        _check_integer('width', self.width, 65_536)


@dataclass(frozen=True)
class Lstm:
    """Long short-term memory: as `Gru`, with a second, slower state."""

    width: int

    def __str__(self) -> str:
        return f'lstm {self.width}'

    def __post_init__(self) -> None:
        _check_integer('width', self.width, 65_536)


@dataclass(frozen=True)
class Attention:
    """A block of a transformer over what was seen and done before in the match."""

    width: int
    # Each asks for something of its own; the width is shared among them.
    heads: int = 4
    # How many inputs it sees, the last one among them.
    window: int = 64

    def __str__(self) -> str:
        return f'attention {self.width}'

    def __post_init__(self) -> None:
        _check_integer('width', self.width, 65_536)
        _check_integer('heads', self.heads, 256)
        _check_integer('window', self.window, 4_096)
        if self.width % self.heads:
            raise NetworkError(f'width must be a multiple of heads, {self.heads}: {self.width}')


Layer: TypeAlias = Linear | Conv | Residual | Gru | Lstm | Attention
# What remembers what came before.
MEMORIES = (Gru, Lstm, Attention)

# The first field of a layer may stand alone: `linear: 256` is `linear: {width: 256}`.
LAYERS: MappingABC[str, type[Layer]] = {
    'linear': Linear,
    'conv': Conv,
    'residual': Residual,
    'gru': Gru,
    'lstm': Lstm,
    'attention': Attention,
}


def layer_to_dict(layer: Layer) -> dict[str, object]:
    """Return a layer as it is written in a file."""
    name = next(name for name, kind in LAYERS.items() if isinstance(layer, kind))
    values = {field.name: getattr(layer, field.name) for field in fields(layer)}
    return {name: values if len(values) > 1 else next(iter(values.values()))}


def layer_from_dict(data: object) -> Layer:
    """Return the layer that a file describes. Raises NetworkError."""
    known = ', '.join(LAYERS)
    if not isinstance(data, MappingABC) or len(data) != 1:
        raise NetworkError(
            f'expected one of {known} with its size, as in `linear: 256`, got {data!r}'
        )
    (name, value), *_ = data.items()
    kind = LAYERS.get(name)
    if kind is None:
        raise NetworkError(f'no layer named {name!r}; layers: {known}')
    allowed = [field.name for field in fields(kind)]
    values = dict(value) if isinstance(value, MappingABC) else {allowed[0]: value}
    for key in values:
        if key not in allowed:
            raise NetworkError(f'{name}: unknown key {key!r}; keys: {", ".join(allowed)}')
    if allowed[0] not in values:
        raise NetworkError(f'{name}: {allowed[0]} is missing')
    try:
        return kind(**values)
    except NetworkError as error:
        raise NetworkError(f'{name}: {error}') from None


def _check_integer(name: str, value: object, largest: int) -> None:
    # A bool is an int to Python, but `width: yes` is a slip.
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= largest:
        raise NetworkError(f'{name} must be an integer from 1 to {largest}, got {value!r}')
