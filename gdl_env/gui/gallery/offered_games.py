"""Games that pages name: those that are known by name, and no other files. Each is read once."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from gdl_env.language.families.designation import Designation
from gdl_env.language.game import Game
from gdl_env.language.library import list_games
from gdl_env.language.load import open_known_game


def read_offered_game(name: str) -> Game:
    """Return a game as `open_known_game` does; its file is read again when it has changed.

    Raises GdlError, for paths too: a page must not have the server read whatever file it names.
    """
    wanted = Designation.read(name).game
    path = next((path for path in list_games() if path.stem == wanted), None)
    try:
        changed = path.stat().st_mtime_ns if path is not None else 0
    except OSError:
        changed = 0
    return _read(name, path, changed) if changed else open_known_game(name)


@lru_cache(maxsize=100)
def _read(name: str, _path: Path, _changed: int) -> Game:
    return open_known_game(name)
