"""The view file of a game, wherever its rules are."""

from __future__ import annotations

from gdl_env.errors import GdlError
from gdl_env.language.library import game_folders
from gdl_env.ros.gui.drawing.view_file import SUFFIX, ViewFile, load_view


def find_view(name: str) -> tuple[ViewFile, str]:
    """Return the view file of a game, or an empty one; and what is wrong with it, in words."""
    for folder in game_folders():
        path = folder / f'{name}{SUFFIX}'
        if path.is_file():
            try:
                return load_view(path), ''
            except GdlError as error:
                return ViewFile(), str(error)
    return ViewFile(), ''
