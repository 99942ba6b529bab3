"""Trees of arrays, tensors, numbers and text as one file, without pickle.

A file that came from others can be read without running anything that it holds, so the same
form serves snapshots, runs that resume later, and weights that travel as bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
import io
import json
from pathlib import Path
from typing import Any
import zipfile
import zlib

import numpy as np
import torch

from gdl_agents.learning.errors import RunError
from gdl_env.whole_file import write_whole

_TREE = 'tree'
# What reading bytes may raise that hold something else.
_DAMAGE = (
    *(ValueError, KeyError, TypeError, AttributeError, NotImplementedError),
    *(OSError, EOFError, zipfile.BadZipFile, zlib.error, RecursionError),
)


def to_bytes(tree: Any) -> bytes:
    """Return a tree as bytes. Raises TypeError for what has no place in a tree."""
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    told = json.dumps(_flatten(tree, arrays))
    stream = io.BytesIO()
    arrays[_TREE] = np.frombuffer(told.encode(), np.uint8)
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def from_bytes(data: bytes, name: str = 'data') -> Any:
    """Return the tree that bytes hold. Raises RunError if they hold none."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            told = json.loads(arrays[_TREE].tobytes())
            return _restore(told, dict(arrays))
    except _DAMAGE as error:
        raise RunError(f'{name} is damaged, or no file of a run: {error}') from error


def peek(path: Path, key: str) -> Any:
    """Return one branch of a tree without arrays, reading nothing else. Raises RunError."""
    try:
        # Opened here: NumPy leaves a damaged file open.
        with path.open('rb') as stream, np.load(stream, allow_pickle=False) as arrays:
            told = json.loads(arrays[_TREE].tobytes())
        return _restore(dict(told['map'])[key], {})
    except _DAMAGE as error:
        raise RunError(f'{path} is damaged, or no file of a run: {error}') from error


def save_tree(path: Path, tree: Any) -> None:
    """Write a tree; readers see the old file or the whole new one, never half of it."""
    write_file(path, to_bytes(tree))


def load_tree(path: Path) -> Any:
    """Read a tree. Raises RunError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RunError(f'{path} cannot be read: {error.strerror}') from error
    return from_bytes(data, str(path))


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all. Raises RunError."""
    try:
        write_whole(path, data)
    except OSError as error:
        raise RunError(f'{path} cannot be written: {error.strerror}') from error


def _flatten(value: Any, arrays: dict[str, np.ndarray[Any, Any]]) -> Any:
    """Return a value as JSON; arrays are put aside, under a number."""
    if isinstance(value, np.ndarray | torch.Tensor):
        kind = 'tensor' if isinstance(value, torch.Tensor) else 'array'
        found = value.detach().cpu().numpy() if isinstance(value, torch.Tensor) else value
        name = f'a{len(arrays)}'
        arrays[name] = found
        return {kind: name}
    if isinstance(value, Mapping):
        # As pairs: the keys of an optimiser's state are numbers.
        return {'map': [[key, _flatten(inner, arrays)] for key, inner in value.items()]}
    if isinstance(value, list | tuple):
        return {'list': [_flatten(inner, arrays) for inner in value]}
    if value is None or isinstance(value, bool | int | float | str):
        return {'value': value}
    raise TypeError(f'{type(value).__name__} has no place in a file of a run')


def _restore(told: dict[str, Any], arrays: dict[str, np.ndarray[Any, Any]]) -> Any:
    (kind, value), *_ = told.items()
    if kind == 'tensor':
        return torch.from_numpy(arrays[value].copy())
    if kind == 'array':
        return arrays[value]
    if kind == 'map':
        return {key: _restore(inner, arrays) for key, inner in value}
    if kind == 'list':
        return [_restore(inner, arrays) for inner in value]
    return value
