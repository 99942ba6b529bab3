"""The executables of this package: which there are, and where."""

from __future__ import annotations

from collections.abc import Iterator
import os
from pathlib import Path
import sys

from gdl_env.ros.launch.arguments import LaunchError, suggest

PACKAGE = 'gdl_env'
PREFIX_VARIABLE = 'AMENT_PREFIX_PATH'
NODE_SUFFIXES = ('_node', '_agent')


def prefixes() -> list[Path]:
    """Return the places things are installed in: what is sourced, then this Python's own."""
    sourced = [Path(p) for p in os.environ.get(PREFIX_VARIABLE, '').split(os.pathsep) if p]
    return [*sourced, Path(sys.executable).parent.parent]


def find_executable(name: str) -> Path:
    """Return the program of that name. Raises LaunchError, with those that exist."""
    for folder in _folders():
        path = folder / name
        if path.is_file() and os.access(path, os.X_OK):
            return path
    raise LaunchError(f'{name} is not installed{suggest(name, sorted(list_executables()))}')


def list_executables() -> frozenset[str]:
    """Return the names of all nodes and agents that are installed."""
    return frozenset(
        path.name
        for folder in _folders()
        if folder.is_dir()
        for path in folder.iterdir()
        if path.name.endswith(NODE_SUFFIXES) and path.is_file()
    )


def _folders() -> Iterator[Path]:
    for prefix in prefixes():
        yield prefix / 'lib' / PACKAGE
    # An editable install has them here before it is complete.
    yield Path(sys.executable).parent


def share_folder(package: str) -> Path:
    """Return the folder with the files of a package. Raises LaunchError if there is none."""
    for prefix in prefixes():
        folder = prefix / 'share' / package
        if folder.is_dir():
            return folder
    raise LaunchError(f'{package} is not installed: no folder share/{package} in any prefix')
