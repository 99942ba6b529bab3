"""Code that users bring: `module:name` or `file.py:name`."""

from __future__ import annotations

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
    module = load_module(place)
    try:
        return getattr(module, attribute)
    except AttributeError:
        raise HookError(f'{name}: there is no {attribute} in {place}') from None


def load_module(place: str) -> ModuleType:
    """Import `module.path` or `file.py`. Raises HookError, with the reason."""
    try:
        return _load_file(Path(place)) if place.endswith('.py') else import_module(place)
    # Third-party code may raise anything.
    except Exception as error:
        reason = f'{type(error).__name__}: {error}'
        raise HookError(f'{place!r} cannot be loaded: {reason}') from error


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise FileNotFoundError('no such file')
    path = path.resolve()
    # Only here: it loads OpenSSL, 4 MB that most nodes do without.
    from hashlib import sha256

    # A name of its own: files of the same name in two folders are two modules.
    name = f'{path.stem}_{sha256(str(path).encode()).hexdigest()[:12]}'
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError('not a Python file')
    module = module_from_spec(spec)
    # Data classes look their module up by its name, and so does pickling.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
