"""From the name of a game to its rule file.

A name may be a path or not and may have its suffix or not: `tictactoe`, `tictactoe.gdl`,
`games/tictactoe`, `./my.kif`. A path that exists always wins; then come the folders of the
environment variable GDL_PATH, the `games` folder of a source checkout, and the installed games.
"""

from __future__ import annotations

from collections.abc import Iterator
import difflib
import os
from pathlib import Path
import sys

from gdl_env.errors import GameNotFoundError
from gdl_env.language.paths import is_file

SUFFIXES = ('.gdl', '.kif')
PATH_VARIABLE = 'GDL_PATH'


def find_game(name: str) -> Path:
    """Return the rule file of a game. Raises GameNotFoundError, with similar names."""
    wanted = Path(name).expanduser()
    for candidate in _candidates(wanted):
        if is_file(candidate):
            return candidate
    known = [path.stem for path in list_games()]
    similar = difflib.get_close_matches(wanted.stem.lower(), known, n=3)
    raise GameNotFoundError(name, known, similar)


def list_games() -> tuple[Path, ...]:
    """Return the rule files of all games known by name, sorted; the first of a name counts."""
    found: dict[str, Path] = {}
    for folder in game_folders():
        for path in rule_files(folder):
            found.setdefault(path.stem, path)
    return tuple(found[name] for name in sorted(found))


def rule_files(folder: Path, *, is_deep: bool = False) -> list[Path]:
    """Return the rule files in a folder (and below it, if deep), sorted by path."""
    paths = folder.rglob('*') if is_deep else folder.glob('*')
    return sorted(path for path in paths if path.suffix.lower() in SUFFIXES and path.is_file())


def game_folders() -> tuple[Path, ...]:
    """Return the existing folders in which games are looked up by name, in order."""
    folders = (folder for folder in _possible_folders() if folder.is_dir())
    return tuple(dict.fromkeys(folders))


def _candidates(wanted: Path) -> Iterator[Path]:
    yield from _spellings(wanted)
    if wanted.is_absolute():
        return
    for folder in game_folders():
        yield from _spellings(folder / wanted)
        # `games/chess.gdl` names the same file from wherever the command is started.
        if wanted.parts[:1] == (folder.name,):
            yield from _spellings(folder.parent / wanted)


def _spellings(path: Path) -> Iterator[Path]:
    yield path
    for suffix in SUFFIXES:
        yield path.with_name(f'{path.name}{suffix}') if path.name else path


def _possible_folders() -> Iterator[Path]:
    for entry in _entries(PATH_VARIABLE):
        yield Path(entry).expanduser()
    checkout = Path(__file__).resolve().parents[2]
    if (checkout / 'package.xml').is_file():
        yield checkout / 'games'
    for prefix in (sys.prefix, *_entries('AMENT_PREFIX_PATH')):
        yield Path(prefix, 'share', 'gdl_env', 'games')


def _entries(variable: str) -> list[str]:
    return [entry for entry in os.environ.get(variable, '').split(os.pathsep) if entry]
