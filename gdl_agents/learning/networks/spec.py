"""A network as a value: what its body consists of, without weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from gdl_agents.learning.networks.errors import NetworkError
from gdl_agents.learning.networks.layers import (
    MEMORIES,
    Conv,
    Layer,
    Linear,
    Residual,
    layer_from_dict,
    layer_to_dict,
)
from gdl_agents.learning.networks.shape import Shape

ACTIVATIONS = ('relu', 'elu', 'gelu', 'silu', 'tanh')
NORMS = ('none', 'layer')

# After these there is no board any more.
_FLAT = (Linear, *MEMORIES)

_KEYS = ('name', 'input', 'layers', 'activation', 'norm', 'beside', 'output')


@dataclass(frozen=True)
class NetworkSpec:
    """The body of a network: its layers from the observation on; the head comes after them.

    Convolutions and their residual blocks come first. Entries beside the board join after them.
    Raises NetworkError for layers that do not follow each other.
    """

    layers: tuple[Layer, ...]
    activation: str = 'relu'
    # What is done before each activation: nothing, or layer normalisation.
    norm: str = 'none'
    # Networks beside this one that see the same; the head hears them all.
    beside: tuple[NetworkSpec, ...] = ()
    # What the observation and the actions must measure; None: whatever the game has.
    input: int | None = None
    output: int | None = None
    # For messages and tables.
    name: str = field(default='network', compare=False)

    def __post_init__(self) -> None:
        _check_choice('activation', self.activation, ACTIVATIONS)
        _check_choice('norm', self.norm, NORMS)
        if not isinstance(self.name, str):
            raise NetworkError(f'name must be a text, got {self.name!r}')
        for key, size in (('input', self.input), ('output', self.output)):
            if size is not None and (not isinstance(size, int) or size is True or size < 1):
                raise NetworkError(f'{key} must be an integer from 1 on, got {size!r}')
        if any(part.beside for part in self.beside):
            raise NetworkError('beside: a network that stands beside another has none beside it')
        if self.beside and (self.has_memory or any(part.has_memory for part in self.beside)):
            raise NetworkError('beside: layers that remember cannot stand beside other networks')
        for index, layer in enumerate(self.layers):
            if isinstance(layer, Residual) and index == 0:
                raise NetworkError('layers[0]: residual keeps the width before it: none is given')
            before = [x for x in self.layers[:index] if isinstance(x, _FLAT)]
            if isinstance(layer, Conv) and before:
                name = next(iter(layer_to_dict(before[0])))
                raise NetworkError(
                    f'layers[{index}]: conv after {name}: the board is gone by then'
                )

    @property
    def has_board(self) -> bool:
        """Tell whether the network sees a board, and so needs a game that has one."""
        return any(p.layers and isinstance(p.layers[0], Conv) for p in self.all_parts)

    @property
    def has_memory(self) -> bool:
        """Tell whether the network remembers what came before: see `memory_body`."""
        return any(isinstance(layer, MEMORIES) for layer in self.layers)

    @property
    def all_parts(self) -> tuple[NetworkSpec, ...]:
        """Return the networks that stand side by side; only this one where there are no others."""
        return (replace(self, beside=()), *self.beside)

    @property
    def parts(self) -> tuple[tuple[Layer, ...], tuple[Layer, ...]]:
        """Return the layers on the board, and those after it."""
        if not self.layers or not isinstance(self.layers[0], Conv):
            return (), self.layers
        places = (place for place, layer in enumerate(self.layers) if isinstance(layer, _FLAT))
        first_flat = next(places, len(self.layers))
        return self.layers[:first_flat], self.layers[first_flat:]

    def __str__(self) -> str:
        own = ', '.join(map(str, self.layers)) or 'no layers'
        return ' beside '.join((own, *map(str, self.beside)))

    def check(self, shape: Shape) -> None:
        """Raise NetworkError if the network does not fit a game of this shape."""
        if self.input not in (None, shape.observation_size):
            raise NetworkError(
                f'{self.name}: input is {self.input}, but observations of this game have'
                f' {shape.observation_size} entries'
            )
        if self.output not in (None, shape.action_size):
            raise NetworkError(
                f'{self.name}: output is {self.output}, but this game has'
                f' {shape.action_size} actions'
            )
        if self.has_board and shape.planes is None:
            raise NetworkError(
                f'{self.name}: layers[0]: conv needs a board, and the mapping finds none in this'
                ' game; use linear'
            )

    def to_dict(self) -> dict[str, object]:
        """Return the network as plain values, for files and checkpoints."""
        data: dict[str, object] = {
            'name': self.name,
            'input': self.input,
            'layers': [layer_to_dict(layer) for layer in self.layers],
            'activation': self.activation,
            'norm': self.norm,
            'beside': [_part_to_dict(part) for part in self.beside] or None,
            'output': self.output,
        }
        return {key: value for key, value in data.items() if value is not None}

    @classmethod
    def from_dict(cls, data: object) -> NetworkSpec:
        """Return the network that plain values describe. Raises NetworkError with the key."""
        if not isinstance(data, Mapping):
            raise NetworkError(f'expected the keys {", ".join(_KEYS)}, got {data!r}')
        for key in data:
            if key not in _KEYS:
                raise NetworkError(f'unknown key {key!r}; keys: {", ".join(_KEYS)}')
        told = {key: data[key] for key in data if key != 'layers'}
        if 'beside' in told:
            told['beside'] = _read_beside(told['beside'])
        described = data.get('layers')
        if not isinstance(described, Sequence) or isinstance(described, str):
            raise NetworkError(f'layers must be a list, got {described!r}')
        layers = []
        for index, value in enumerate(described):
            try:
                layers.append(layer_from_dict(value))
            except NetworkError as error:
                raise NetworkError(f'layers[{index}]: {error}') from None
        return cls(tuple(layers), **told)


def _part_to_dict(part: NetworkSpec) -> dict[str, object]:
    return {key: value for key, value in part.to_dict().items() if key != 'name'}


def _read_beside(data: object) -> tuple[NetworkSpec, ...]:
    if not isinstance(data, Sequence) or isinstance(data, str):
        raise NetworkError(f'beside must be a list of networks, got {data!r}')
    found = []
    for index, value in enumerate(data):
        try:
            found.append(NetworkSpec.from_dict(value))
        except NetworkError as error:
            raise NetworkError(f'beside[{index}]: {error}') from None
    return tuple(found)


def _check_choice(key: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise NetworkError(f'{key} must be one of {", ".join(allowed)}, got {value!r}')
