"""Compiled functions that a program may do without: numba takes a second and 60 MB to import."""

from __future__ import annotations

from importlib import import_module
import sys
from types import ModuleType

# Rows below which plain numpy is quick enough.
FEW = 16
# Modules that are imported to their end. In sys.modules they may still be on their way, in another
# thread.
_ready: dict[str, ModuleType] = {}


def find_kernels(module: str, rows: int) -> ModuleType | None:
    """Return a module with compiled functions; None if these few rows are not worth numba.

    Where numba is imported anyway, it is used.
    """
    found = _ready.get(module)
    if found is None and (rows >= FEW or 'numba' in sys.modules):
        found = _ready[module] = import_module(module)
    return found
