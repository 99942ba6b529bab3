"""Runs of training that pages have started: launches in processes of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from gdl_env.code_names import has_foreign_code, starts_program
from gdl_env.gui.child_processes import Child, ChildProcesses
from gdl_env.gui.errors import GuiError
from gdl_env.gui.gallery.offered_games import read_offered_game
from gdl_env.gui.tables import explain_programs, roles_of
from gdl_env.gui.texts import text
from gdl_env.gui.training.runs import RUNS, ListedRun
from gdl_env.ros.launch.node_requirements import require_nodes
from gdl_env.ros.launch.topology import TOPOLOGIES

LEARNER = 'learner'
# At a time: each of them takes a core.
MOST = 2
# How a learner begins to say that it never loses.
_PROVED = 'proved after '


@dataclass
class Training:
    """One launch and its run."""

    run: ListedRun
    namespace: str
    child: Child
    is_paused: bool = False

    @property
    def is_running(self) -> bool:
        """Tell whether it is still running."""
        return self.child.exit_code is None

    @property
    def state(self) -> str:
        """Return how it goes, in words."""
        code = self.child.exit_code
        if code is None:
            return text('train.paused' if self.is_paused else 'train.runs_now')
        if code in {0, 128 + 2, -2}:
            return text('train.ended')
        last = ' | '.join([line for line in self.child.lines if line.strip()][-3:])
        return text('train.failed', code=code, reason=last)

    @property
    def news(self) -> list[str]:
        """Return what was proved so far, in the words of the learner."""
        said = [line for line in self.child.lines if _PROVED in line]
        return self.run.news() or [line[line.index(_PROVED) :] for line in said[-1:]]


class Trainings:
    """Starts and stops runs."""

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
        self._trainings: list[Training] = []

    def all(self) -> list[Training]:
        """Return the runs that were started here, the newest first."""
        return self._trainings[::-1]

    def start(
        self,
        *,
        game: str,
        algorithm: str,
        episodes: int,
        lanes: int,
        against: str,
        options: str = '',
        is_detached: bool = False,
    ) -> Training:
        """Start a run. Raises GdlError if something is wrong with what was chosen."""
        if sum(training.is_running for training in self._trainings) >= MOST:
            raise GuiError(text('train.most', count=MOST))
        roles = roles_of(read_offered_game(game))
        if not self._allows_programs:
            for word in filter(starts_program, (algorithm, against)):
                raise GuiError(explain_programs(word))
            if has_foreign_code(options):
                raise GuiError(explain_programs(options))
        number = next(self._numbers)
        namespace = f'{self._prefix}_{number}'
        run = self._free_run(game, algorithm)
        given = {
            'game': game,
            'algorithm': algorithm,
            'episodes': str(episodes),
            'lanes': str(lanes),
            'run': str(run.path),
            'namespace': namespace.strip('/'),
            **_opponents(roles, against),
        }
        if options:
            given['options'] = options
        # Wrong arguments are reported here; the launch itself would only fail.
        require_nodes(TOPOLOGIES['selfplay'].nodes(given))
        words = ['selfplay', *(f'{key}:={value}' for key, value in given.items())]
        child = self._processes.start_launch(words, namespace, is_detached=is_detached)
        training = Training(run, namespace, child)
        self._trainings.append(training)
        return training

    def stop(self, training: Training) -> None:
        """End a run; what was learned is kept."""
        self._processes.stop(training.child)

    def _free_run(self, game: str, algorithm: str) -> ListedRun:
        taken = {training.run.path for training in self._trainings}
        for number in count(1):
            path = self._folder / RUNS / Path(game).stem / f'{algorithm}-gui-{number}'
            if not path.exists() and path not in taken:
                return ListedRun(path)
        raise AssertionError


def _opponents(roles: Sequence[str], against: str) -> dict[str, str]:
    """Return who plays the other roles; the learner has the first."""
    if against == LEARNER:
        return {}
    return dict.fromkeys(roles[1:], against)
