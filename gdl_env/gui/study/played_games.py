"""Games that people have played here: kept by themselves, and found again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
import json
from pathlib import Path

from gdl_env.errors import GdlError
from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.study.history import HistoryEntry
from gdl_env.gui.study.saved_games import RECORDINGS, save_recording
from gdl_env.gui.views import title_of

PLAYED = f'{RECORDINGS}/played'
# Older ones are removed; what was saved by hand stays.
MOST = 200


@dataclass(frozen=True)
class PlayedGame:
    """One game: its file, below the folder of the server, what people call it, and when."""

    file: str
    title: str
    ended: datetime


class PlayedGames:
    """Keeps games that are over, each once, however many pages show it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept: dict[tuple[str, int, int], str] = {}

    def keep(self, link: MatchLink, episode: int, entries: list[HistoryEntry]) -> None:
        """Write a game that is over; one that was not seen as a whole cannot be kept."""
        key = link.namespace, link.lives, episode
        if key in self._kept:
            return
        self._kept[key] = ''
        try:
            path = save_recording(link, entries, self._folder, PLAYED)
            for old in self._paths()[MOST:]:
                old.unlink(missing_ok=True)
        except (GdlError, OSError):
            return
        self._kept[key] = str(path.relative_to(self._folder))

    def find(self, link: MatchLink, episode: int) -> str:
        """Return the file of a game that was kept; '' if there is none."""
        return self._kept.get((link.namespace, link.lives, episode), '')

    def list_newest(self, count: int) -> list[PlayedGame]:
        """Return the games that were played last, the newest first."""
        found = []
        for path in self._paths()[:count]:
            try:
                with path.open(encoding='utf-8') as file:
                    name = str(json.loads(file.readline())['game'])
                ended = datetime.fromtimestamp(path.stat().st_mtime)
            # Files there are anybody's.
            except (OSError, ValueError, KeyError, TypeError):
                continue
            found.append(PlayedGame(str(path.relative_to(self._folder)), title_of(name), ended))
        return found

    def _paths(self) -> list[Path]:
        """Return the files, the newest first."""
        dated = []
        for path in (self._folder / PLAYED).glob('*.jsonl'):
            try:
                dated.append((path.stat().st_mtime, path))
            except OSError:
                continue
        return [path for _, path in sorted(dated, reverse=True)]
