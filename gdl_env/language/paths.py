"""Whether a path that a user wrote is there; a name that no file system takes is not."""

from __future__ import annotations

from pathlib import Path


def is_file(path: Path) -> bool:
    """Tell whether there is such a file."""
    try:
        return path.is_file()
    except OSError:
        return False


def is_folder(path: Path) -> bool:
    """Tell whether there is such a folder."""
    try:
        return path.is_dir()
    except OSError:
        return False
