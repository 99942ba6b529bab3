"""Runs of training on disk, as their files tell: metrics, evaluations, levels."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from pathlib import Path

from gdl_env.gui.errors import GuiError
from gdl_env.gui.texts import text
from gdl_env.yaml_text import YamlTextError, read_yaml

RUNS = 'runs'
# Agents that play what was learned; runs are called after them, and the first plays the others.
ALGORITHMS = ('rainbow', 'dqn', 'alphazero', 'mmd', 'sequence')
# Points of a curve that are drawn; more cannot be told apart.
_POINTS = 500

# Rows of metrics that tell the pace of a run.
_RECENT = 20
# Where the card of a run says what was proved.
_PROOFS = '## Against every play'

Curve = list[tuple[float, float]]


@dataclass(frozen=True)
class RunProgress:
    """How far a run is."""

    episodes: int
    planned: int
    # Seconds that are left at the pace of late; None where that is unknown.
    seconds_left: float | None

    @property
    def share(self) -> float:
        """Return the part that is done [0 to 1]."""
        return min(1.0, self.episodes / self.planned)


@dataclass(frozen=True)
class ListedRun:
    """The folder of one run."""

    path: Path

    @property
    def game(self) -> str:
        """Return the game that is learned."""
        return self.path.parent.name

    @property
    def name(self) -> str:
        """Return the run as it is written on the command line."""
        return f'{self.path.parent.name}/{self.path.name}'

    @property
    def player(self) -> str:
        """Return the agent that plays what was learned, as it is written in launches."""
        algorithm = self.path.name.partition('-')[0]
        return f'{algorithm if algorithm in ALGORITHMS else ALGORITHMS[0]}:{self.path}'

    @property
    def snapshots(self) -> int:
        """Return how many snapshots there are to choose levels from."""
        return len(list((self.path / 'snapshots').glob('*.npz')))

    def curve(self, column: str) -> Curve:
        """Return a column of the metrics over episodes; what is not whole is left out."""
        rows = _rows(self.path / 'metrics.csv')
        if column == 'speed':
            return _thin(_speed(rows))
        return _thin(_points(rows, column))

    def results(self) -> dict[str, Curve]:
        """Return the shares of games won, drawn and lost against random players."""
        rows = _rows(self.path / 'evaluation' / 'evaluations.csv')
        sums: dict[float, dict[str, float]] = {}
        for row in rows:
            at = sums.setdefault(row.get('episodes', 0.0), {})
            for name in ('games', 'wins', 'draws', 'losses'):
                at[name] = at.get(name, 0.0) + row.get(name, 0.0)
        return {
            name: [(e, s[name] / s['games']) for e, s in sorted(sums.items()) if s['games']]
            for name in ('wins', 'draws', 'losses')
        }

    def has_curve(self, column: str) -> bool:
        """Tell whether the metrics have numbers for a column."""
        return bool(self.curve(column))

    def progress(self) -> RunProgress | None:
        """Return how far the run is; None as long as that is unknown."""
        # A row that is being written has no last number yet.
        table = _rows(self.path / 'metrics.csv')
        rows = [
            row for row in table if {'episodes', 'seconds'} <= {k for k in row if isfinite(row[k])}
        ]
        total = self._planned()
        if not rows or not total:
            return None
        done, seconds = rows[-1]['episodes'], rows[-1]['seconds']
        # The pace of the last rows: it changes while a network grows into its game.
        before = rows[-min(len(rows), _RECENT)]
        took, played = seconds - before['seconds'], done - before['episodes']
        if not (took > 0 and played > 0):
            took, played = seconds, done
        left = max(0.0, total - done) * took / played if played > 0 and took > 0 else None
        return RunProgress(int(done), total, left)

    def news(self) -> list[str]:
        """Return what was proved of the player, as its card says; empty before the end."""
        try:
            card = (self.path / 'README.md').read_text('utf-8')
        except (OSError, UnicodeDecodeError):
            return []
        _, _, proofs = card.partition(_PROOFS)
        lines = proofs.partition('\n## ')[0].splitlines()
        return [line.removeprefix('- ') for line in lines if line.startswith('- ')]

    def _planned(self) -> int:
        """Return the episodes that are to be played; 0 where that is unknown."""
        try:
            told = read_yaml((self.path / 'config.yaml').read_text('utf-8'))
            return int(told['episodes'])
        except (OSError, YamlTextError, TypeError, KeyError, ValueError, OverflowError):
            return 0

    def stamp(self) -> tuple[float, ...]:
        """Return something that changes whenever the files do."""
        files = (self.path / 'metrics.csv', self.path / 'evaluation' / 'evaluations.csv')
        return tuple(file.stat().st_mtime if file.exists() else 0.0 for file in files)


def list_runs(folder: Path, game: str = '') -> list[ListedRun]:
    """Return the runs below a folder, the newest first."""
    found = [
        ListedRun(path.parent)
        for path in (folder / RUNS).glob('*/*/metrics.csv')
        if not game or path.parent.parent.name == game
    ]
    return sorted(found, key=lambda run: run.stamp(), reverse=True)


def require_run(player: str) -> None:
    """Raise GuiError for an agent that plays what a run has learned, if no run is named."""
    name, _, detail = player.strip().partition(':')
    if name in ALGORITHMS and not detail:
        raise GuiError(text('player.needs_run', name=name))


def _rows(path: Path) -> list[dict[str, float]]:
    """Return the numbers of a table; a row that is being written is left out."""
    try:
        with path.open(encoding='utf-8', newline='') as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, csv.Error, UnicodeDecodeError):
        return []
    return [{key: _number(value) for key, value in row.items() if key} for row in rows]


def _number(value: str | None) -> float:
    try:
        return float(value or 'nan')
    except ValueError:
        return float('nan')


def _points(rows: list[dict[str, float]], column: str) -> Curve:
    pairs = [(row.get('episodes', float('nan')), row.get(column, float('nan'))) for row in rows]
    return [(x, y) for x, y in pairs if isfinite(x) and isfinite(y)]


def _speed(rows: list[dict[str, float]]) -> Curve:
    """Return steps a second, between one row and the next."""
    found = []
    for before, after in pairwise(rows):
        seconds = after.get('seconds', 0.0) - before.get('seconds', 0.0)
        if seconds > 0:
            rate = (after.get('steps', 0.0) - before.get('steps', 0.0)) / seconds
            if isfinite(rate) and rate >= 0:
                found.append((after['episodes'], rate))
    return found


def _thin(curve: Curve) -> Curve:
    step = -(-len(curve) // _POINTS) or 1
    return curve[::step] + (curve[-1:] if curve and (len(curve) - 1) % step else [])
