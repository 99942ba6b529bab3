"""How long games are: the moves of some random ones, counted once in a process of its own.

As a program it reads names of games and prints a JSON object for each: `{"chess": 313.2}`.
"""

from __future__ import annotations

import asyncio
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache
import hashlib
import json
import os
from pathlib import Path
import sys

from gdl_env.engine.cache import read_entry, write_entry
from gdl_env.engine.registry import open_engine
from gdl_env.errors import GdlError
from gdl_env.language.library import list_games
from gdl_env.language.load import open_game

# Random games that are played, and steps after which one is given up.
_GAMES = 8
_MOST_STEPS = 2_000
# A game whose random play takes longer than this is left out [s].
_PATIENCE = 60.0
# The longest game of each kind, in moves, and the key of its name; None: there is no limit.
LENGTHS = (
    *((12, 'gallery.quick'), (50, 'gallery.short'), (150, 'gallery.medium')),
    (None, 'gallery.long'),
)


def name_length(moves: float) -> str:
    """Return the key of the words for so many moves."""
    return next(key for most, key in LENGTHS if most is None or moves <= most)


def read_length(path: Path) -> float | None:
    """Return how many moves a game has, if that was counted before. Raises GdlError."""
    data = read_entry(_name_known_entry(str(path), path.stat().st_mtime_ns))
    return float(json.loads(data)) if data is not None else None


async def count_lengths(games: Iterable[str], show: Callable[[str, float], None]) -> None:
    """Count the moves of games, one after the other; each is shown as soon as it is known."""
    for game in games:
        command = (sys.executable, '-m', __name__, game)
        process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=DEVNULL)
        try:
            said, _ = await asyncio.wait_for(process.communicate(), _PATIENCE)
        except asyncio.TimeoutError:
            continue
        finally:
            with suppress(ProcessLookupError):
                process.kill()
        if process.returncode == 0:
            show(game, float(json.loads(said)))


def _entry(game: str) -> str:
    path = next((path for path in list_games() if path.stem == game), None)
    if path is None:
        return _name_entry(game)
    return _name_known_entry(str(path), path.stat().st_mtime_ns)


@lru_cache(maxsize=500)
def _name_known_entry(path: str, _changed: int) -> str:
    return _name_entry(path)


def _name_entry(game: str) -> str:
    digest = hashlib.sha256(open_game(game).source.text.encode()).hexdigest()[:24]
    return f'length_{digest}'


def main() -> int:
    """Count the moves of one game, and print them."""
    # Whoever plays now comes first.
    os.nice(5)
    game = sys.argv[1]
    try:
        with open_engine(open_game(game)) as engine:
            played = [one.steps for one in engine.playouts(_GAMES, 1, _MOST_STEPS)]
    except GdlError as error:
        sys.stderr.write(f'{error}\n')
        return 1
    mean = json.dumps(round(sum(played) / len(played), 1))
    write_entry(_entry(game), mean.encode())
    sys.stdout.write(f'{mean}\n')
    return 0


if __name__ == '__main__':
    sys.exit(main())
