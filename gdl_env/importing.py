"""Code that users bring: `module:name` or `file.py:name`."""

from __future__ import annotations

from hashlib import sha256
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
import sys
from types import ModuleType
from typing import Any

from gdl_env.errors import GdlError


class HookError(GdlError):
    """Code that was named cannot be loaded."""


def load_hook(name: str) -> Any:
    """Return what `module:name` or `file.py:name` stands for. Raises HookError."""
    place, _, attribute = name.rpartition(':')
    if not place or not attribute:
        raise HookError(f'{name!r} names no code; write module:name or file.py:name')
    module = _import(place, name)
    try:
        return getattr(module, attribute)
    except AttributeError:
        raise HookError(f'{name}: there is no {attribute} in {place}') from None


def _import(place: str, name: str) -> ModuleType:
    try:
        if not place.endswith('.py'):
            return import_module(place)
        path = Path(place).resolve()
        # A name of its own: files of the same name in two folders are two modules.
        own = f'{path.stem}_{sha256(str(path).encode()).hexdigest()[:12]}'
        spec = spec_from_file_location(own, path)
        if spec is None or spec.loader is None:
            raise ImportError(f'cannot be read: {path}')
        module = module_from_spec(spec)
        # Data classes look their module up by its name.
        sys.modules[own] = module
        spec.loader.exec_module(module)
        return module
    except (ImportError, OSError, SyntaxError) as error:
        raise HookError(f'{name}: {error}') from error
