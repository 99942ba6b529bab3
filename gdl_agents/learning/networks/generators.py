"""From the shape of a game to a network: heuristics by name, and hooks for others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from gdl_agents.learning.networks.errors import NetworkError
from gdl_agents.learning.networks.shape import Shape
from gdl_agents.learning.networks.spec import NetworkSpec
from gdl_env.importing import load_hook

Generator: TypeAlias = Callable[[Shape], NetworkSpec]

_GENERATORS: dict[str, Generator] = {}


def register_generator(name: str) -> Callable[[Generator], Generator]:
    """Give a function from shapes to networks a name. Raises NetworkError if it is taken."""

    def register(generator: Generator) -> Generator:
        if ':' in name or _GENERATORS.setdefault(name, generator) is not generator:
            raise NetworkError(f'no generator can be named {name!r}: taken, or it has a colon')
        return generator

    return register


def generator_names() -> tuple[str, ...]:
    """Return the names a generator can be chosen by."""
    return tuple(_GENERATORS)


def generate(shape: Shape, name: str = 'default') -> NetworkSpec:
    """Return a network for games of a shape, which fits it.

    `name` is that of a registered generator, or `module:function` or `file.py:function`, which is
    called with the shape. Raises NetworkError, HookError.
    """
    generator = load_hook(name) if ':' in name else _GENERATORS.get(name)
    if not callable(generator):
        raise NetworkError(
            f'no generator named {name!r}; generators: {", ".join(_GENERATORS)}, module:function'
        )
    spec = generator(shape)
    if not isinstance(spec, NetworkSpec):
        raise NetworkError(f'generator {name!r} gave {type(spec).__name__} instead of NetworkSpec')
    spec.check(shape)
    return spec
