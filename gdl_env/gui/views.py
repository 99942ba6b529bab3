"""The view file of a game, wherever its rules are."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from gdl_env.errors import GdlError
from gdl_env.gui.drawing.view_file import SUFFIX, ViewFile, load_view
from gdl_env.language.library import game_folders, list_games


def find_view(name: str) -> tuple[ViewFile, str]:
    """Return the view file of a game, or an empty one; and what is wrong with it, in words."""
    # A family of games has one view: hex(size=7) looks like hex.
    stem = Path(name.partition('(')[0]).stem
    for folder in game_folders():
        path = folder / f'{stem}{SUFFIX}'
        if path.is_file():
            try:
                return _load(path, path.stat().st_mtime_ns), ''
            except GdlError as error:
                return ViewFile(), str(error)
    return ViewFile(), ''


@lru_cache(maxsize=500)
def _load(path: Path, _changed: int) -> ViewFile:
    return load_view(path)


def title_of(game: str) -> str:
    """Return the name of a game as people write it."""
    return find_view(game)[0].title or game.replace('_', ' ').capitalize() if game else ''


def list_titles() -> dict[str, str]:
    """Return the games that are known by name, with what people call each, in that order."""
    titles = {path.stem: title_of(path.stem) for path in list_games()}
    named = list(titles.values())
    told = {
        # A draft may have the title of the game that it was made from.
        name: f'{title} ({name})' if named.count(title) > 1 else title
        for name, title in titles.items()
    }
    return dict(sorted(told.items(), key=lambda one: one[1].lower()))
