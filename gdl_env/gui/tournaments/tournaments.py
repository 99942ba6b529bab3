"""Tournaments: those on disk, and those that pages have started."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from gdl_env.code_names import starts_program
from gdl_env.gui.child_processes import Child, ChildProcesses
from gdl_env.gui.errors import GuiError
from gdl_env.gui.gallery.offered_games import read_offered_game
from gdl_env.gui.tables import explain_programs, roles_of
from gdl_env.gui.texts import text
from gdl_env.gui.training.runs import require_run
from gdl_env.ros.launch.arguments import LaunchError
from gdl_env.ros.launch.node_requirements import require_nodes
from gdl_env.ros.launch.topology import TOPOLOGIES
from gdl_env.ros.tournament.cross_table import CrossTable
from gdl_env.ros.tournament.pairings import pairings

FOLDER = 'tournaments'
_RESULTS = 'results.csv'


@dataclass(frozen=True)
class ListedTournament:
    """The folder of one tournament: GAME-N if a page has started it."""

    path: Path

    @property
    def name(self) -> str:
        """Return the name of the folder."""
        return self.path.name

    @property
    def game(self) -> str:
        """Return what was played; '' where the folder does not say."""
        game, _, number = self.name.rpartition('-')
        return game if number.isdigit() else ''

    @property
    def stamp(self) -> float:
        """Return something that changes whenever a match has ended."""
        file = self.path / _RESULTS
        return file.stat().st_mtime if file.exists() else 0.0

    def read(self) -> CrossTable | None:
        """Return what was played so far; None if that is nothing. Raises LaunchError."""
        try:
            return CrossTable.from_csv((self.path / _RESULTS).read_text('utf-8'))
        except OSError:
            return None


@dataclass
class StartedTournament:
    """One launch, and its folder."""

    listed: ListedTournament
    game: str
    agents: tuple[str, ...]
    # Matches to be played.
    matches: int
    child: Child

    @property
    def is_running(self) -> bool:
        """Tell whether matches are still played."""
        return self.child.exit_code is None

    def read(self) -> CrossTable:
        """Return the table with all who take part, also those who have not met anyone."""
        found = self.listed.read()
        roles = found.roles if found is not None else roles_of(read_offered_game(self.game))
        return CrossTable(roles, self.agents, found.pairings if found is not None else ())


class Tournaments:
    """Starts and stops tournaments: one at a time, since agents think as long as they may."""

    def __init__(
        self,
        processes: ChildProcesses,
        folder: Path,
        prefix: str,
        *,
        allows_programs: bool = False,
    ) -> None:
        self._processes = processes
        self._allows_programs = allows_programs
        self._folder = folder
        self._prefix = prefix
        self._numbers = count(1)
        self.started: list[StartedTournament] = []

    def list_all(self) -> list[ListedTournament]:
        """Return the tournaments below the folder, the newest first."""
        found = [ListedTournament(p.parent) for p in self._folder.glob(f'{FOLDER}/*/{_RESULTS}')]
        # Where launches write by default.
        if (self._folder / 'tournament' / _RESULTS).is_file():
            found.append(ListedTournament(self._folder / 'tournament'))
        known = {one.path for one in found}
        found += [t.listed for t in self.started if t.is_running and t.listed.path not in known]
        running = {t.listed.path for t in self.started if t.is_running}
        return sorted(found, key=lambda one: (one.path in running, one.stamp), reverse=True)

    def find(self, listed: ListedTournament) -> StartedTournament | None:
        """Return the tournament of a folder, if it was started here."""
        return next((t for t in self.started if t.listed.path == listed.path), None)

    def start(
        self, *, game: str, agents: Sequence[str], episodes: int, seconds: float
    ) -> StartedTournament:
        """Start a tournament. Raises GdlError if something is wrong with what was chosen."""
        if any(one.is_running for one in self.started):
            raise GuiError(text('tournament.one'))
        roles = roles_of(read_offered_game(game))
        for agent in agents:
            require_run(agent)
            if starts_program(agent) and not self._allows_programs:
                raise GuiError(explain_programs(agent))
        path = self._free_folder(game)
        namespace = f'{self._prefix}_{next(self._numbers)}'
        given = {
            'game': game,
            'agents': ','.join(agents),
            'episodes': str(episodes),
            'play_clock': str(seconds),
            'out': str(path),
            'namespace': namespace.strip('/'),
        }
        # Wrong arguments are reported here; the launch itself would only fail.
        require_nodes(TOPOLOGIES['tournament'].nodes(given))
        matches = len(pairings(list(agents), len(roles), has_self_play=False))
        words = ['tournament', *(f'{key}:={value}' for key, value in given.items())]
        child = self._processes.start_launch(words, namespace, is_detached=False)
        started = StartedTournament(ListedTournament(path), game, tuple(agents), matches, child)
        self.started.append(started)
        return started

    def stop(self, tournament: StartedTournament) -> None:
        """End a tournament; the matches that were played are kept."""
        self._processes.stop(tournament.child)

    def league(self, game: str) -> list[CrossTable]:
        """Return the tables of all tournaments of a game; files that are damaged do not count."""
        tables = []
        for listed in self.list_all():
            if listed.game != game:
                continue
            try:
                table = listed.read()
            except LaunchError:
                continue
            if table is not None:
                tables.append(table)
        return tables

    def _free_folder(self, game: str) -> Path:
        stem = Path(game.partition('(')[0]).stem
        taken = {one.listed.path for one in self.started}
        for number in count(1):
            path = self._folder / FOLDER / f'{stem}-{number}'
            if not path.exists() and path not in taken:
                return path
        raise AssertionError
