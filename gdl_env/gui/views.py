"""The view file of a game, wherever its rules are."""

from __future__ import annotations

from pathlib import Path

from gdl_env.errors import GdlError
from gdl_env.gui.drawing.view_file import SUFFIX, ViewFile, load_view
from gdl_env.language.library import game_folders


def find_view(name: str) -> tuple[ViewFile, str]:
    """Return the view file of a game, or an empty one; and what is wrong with it, in words."""
    # A family of games has one view: hex(size=7) looks like hex.
    stem = Path(name.partition('(')[0]).stem
    for folder in game_folders():
        path = folder / f'{stem}{SUFFIX}'
        if path.is_file():
            try:
                return load_view(path), ''
            except GdlError as error:
                return ViewFile(), str(error)
    return ViewFile(), ''


def title_of(game: str) -> str:
    """Return the name of a game as people write it."""
    return find_view(game)[0].title or game.replace('_', ' ').capitalize() if game else ''
