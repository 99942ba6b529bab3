"""What solving found, on disk: a folder below `runs/` that the agent `solved` plays from.

`solution.json` says what was solved, and how well. `strategy.npz` has the probabilities of moves
at information sets, which are known by their digests; `strategy.csv` the same for people.
`values.npz` has the states of an open game and what they are worth.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
import json
from pathlib import Path
from typing import Any
import zipfile

import numpy as np
from numpy.typing import NDArray

from gdl_agents.solving.errors import SolvingError
from gdl_env.language.families.designation import Designation
from gdl_env.language.game import Game

RUNS = Path('runs')
STRATEGY, VALUES = 'strategy', 'values'
_VERSION = 1


@dataclass(frozen=True)
class SolutionSummary:
    """What was solved, and how well."""

    game: str
    rules_hash: str
    turn: str
    roles: tuple[str, ...]
    # STRATEGY or VALUES.
    kind: str
    # How it was found, in a word.
    method: str
    # The mean goal of each role; None where it is not known.
    values: tuple[float, ...] | None
    # How much all players together could gain, in goals; None where that was not measured.
    nash_conv: float | None
    # Whether an equilibrium is guaranteed: two players whose goals always add up to the same.
    is_guaranteed: bool
    sizes: dict[str, int] = field(default_factory=dict)
    # Processor time of building and solving [s].
    seconds: dict[str, float] = field(default_factory=dict)
    iterations: int = 0
    version: int = _VERSION


class SolutionFolder:
    """Paths and files of one solution."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.summary_file = path / 'solution.json'
        self.table_file = path / 'strategy.csv'

    @classmethod
    def create(cls, game: Game, root: Path = RUNS, name: str = '') -> SolutionFolder:
        """Make the folder of a new solution. Raises SolvingError if it is taken."""
        parent = root / Designation.read(game.name).file_name
        number = 1
        while not name and (parent / f'solved-{number}').exists():
            number += 1
        name = name or f'solved-{number}'
        if Path(name).name != name or name in {'.', '..'}:
            raise SolvingError(f'{name!r} cannot be the name of a run')
        path = parent / name
        if path.exists() and any(path.iterdir()):
            raise SolvingError(f'{path} exists already: give another --name')
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SolvingError(f'{path} cannot be made: {error.strerror}') from error
        return cls(path)

    @classmethod
    def open(cls, path: str) -> SolutionFolder:
        """Open a folder: a path, or `game/name` below runs/. Raises SolvingError."""
        for candidate in (Path(path), RUNS / path):
            if (candidate / 'solution.json').is_file():
                return cls(candidate)
        raise SolvingError(f'{path} is no solution: there is no {Path(path) / "solution.json"}')

    def write(self, summary: SolutionSummary, arrays: dict[str, NDArray[Any]]) -> None:
        """Write a solution; the summary last, which makes it one. Raises SolvingError."""
        try:
            held: dict[str, Any] = dict(arrays)
            np.savez_compressed(self.path / f'{summary.kind}.npz', **held)
            text = json.dumps(asdict(summary), indent=2)
            self.summary_file.write_text(text + '\n', encoding='utf-8')
        except OSError as error:
            raise SolvingError(f'{self.path} cannot be written: {error.strerror}') from error

    def read_summary(self) -> SolutionSummary:
        """Return what was solved. Raises SolvingError if the file is damaged."""
        try:
            held = json.loads(self.summary_file.read_text('utf-8'))
            if held.get('version') != _VERSION:
                raise SolvingError(
                    f'{self.summary_file} is of version {held.get("version")}, not {_VERSION}:'
                    ' solve the game again'
                )
            return SolutionSummary(**{**held, 'roles': tuple(held['roles'])})
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise SolvingError(f'{self.summary_file} cannot be read: {error}') from error

    def read_arrays(self, kind: str) -> dict[str, NDArray[Any]]:
        """Return the arrays of a kind. Raises SolvingError if the file is damaged."""
        path = self.path / f'{kind}.npz'
        try:
            with np.load(path, allow_pickle=False) as held:
                return {name: held[name] for name in held.files}
        except (OSError, ValueError, zipfile.BadZipFile) as error:
            raise SolvingError(f'{path} cannot be read: {error}') from error
