"""Folders whose files are run as they are, so that no other user may write there.

Compiled code in a cache is as good as the person who could put it there. Owner and permissions
decide; a checksum beside a file only tells whether it is damaged.
"""

from __future__ import annotations

import os
from pathlib import Path
import stat

from gdl_env.errors import GdlError

_PRIVATE = 0o700
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class PrivateFolderError(GdlError):
    """A folder with compiled code could have been filled by another user."""


def make_private(folder: Path, remedy: str) -> None:
    """Make a folder that only its owner can read and write, or check the one that is there.

    Raises PrivateFolderError, or OSError if it cannot be made.
    """
    folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
    check_private(folder, remedy)


def check_private(folder: Path, remedy: str) -> None:
    """Raise PrivateFolderError, with the remedy, if another user could write into a folder.

    One that does not exist passes.
    """
    try:
        # The link too, if it is one: its owner could make it lead elsewhere at any time.
        found = folder.stat(), folder.lstat()
    except OSError:
        return
    for status in found:
        if status.st_uid not in _trusted():
            raise PrivateFolderError(
                f'{folder} belongs to another user (number {status.st_uid}), whose compiled code'
                f' would be run as yours: {remedy}'
            )
    if found[0].st_mode & _OTHERS_WRITE:
        mode = stat.S_IMODE(found[0].st_mode)
        raise PrivateFolderError(
            f'{folder} can be written by other users (mode {mode:o}), whose compiled code would be'
            f' run as yours: {remedy}, or, if you trust what is in it: chmod go-w {folder}'
        )


def is_own_file(path: Path) -> bool:
    """Tell whether a file is a plain one that no other user could have written."""
    try:
        status = path.lstat()
    except OSError:
        return False
    is_plain = stat.S_ISREG(status.st_mode) and not status.st_mode & _OTHERS_WRITE
    return is_plain and status.st_uid in _trusted()


def _trusted() -> tuple[int, int]:
    # Whoever is root can change everything anyway.
    return os.geteuid(), 0
