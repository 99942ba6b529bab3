"""Difficulty levels: snapshots of a run, chosen by what they earned against random players.

With N levels, level i is the snapshot whose reward is closest to R_max * i / N, where R_max is the
reward of the strongest one, which is the default.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gdl_agents.learning.dqn.model import About
from gdl_agents.learning.errors import RunError
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_agents.learning.training.state_file import peek


@dataclass(frozen=True)
class Snapshot:
    """A checkpoint on disk."""

    path: Path
    about: About


@dataclass(frozen=True)
class Level:
    """A difficulty: 1 is the easiest."""

    number: int
    # The reward it should have.
    target: float
    snapshot: Snapshot


def list_snapshots(run: RunFolder, role: str = '') -> list[Snapshot]:
    """Return the snapshots of a run that can play a role, in the order they were taken.

    '' is the first role that was learned. Raises RunError if there are none.
    """
    found = []
    for path in sorted(run.snapshots.glob('*.npz')):
        told = peek(path, 'about')
        about = About(**{**told, 'roles': tuple(told['roles'])})
        role = role or about.roles[0]
        if role in about.roles:
            found.append(Snapshot(path, about))
    if not found:
        of_role = f' of role {role}' if role else ''
        raise RunError(f'{run.path} has no snapshots{of_role} yet')
    return found


def strongest(snapshots: list[Snapshot]) -> Snapshot:
    """Return the snapshot with the highest reward; the latest of several.

    Those that are proved come before all others; in solved games, those that are right more often.
    """
    return max(
        snapshots,
        key=lambda s: (s.about.proved, s.about.right, s.about.reward, s.about.episodes),
    )


def list_levels(snapshots: list[Snapshot], count: int = 0) -> list[Level]:
    """Return the difficulty levels: as many as snapshots if no number is given."""
    count = count or len(snapshots)
    best = strongest(snapshots)
    levels = []
    for number in range(1, count + 1):
        target = best.about.reward * number / count
        # The strongest itself is the last level, whatever else comes as close.
        nearest = min(snapshots, key=lambda s: abs(s.about.reward - target))
        levels.append(Level(number, target, best if number == count else nearest))
    return levels


def find_level(snapshots: list[Snapshot], text: str) -> Snapshot:
    """Return the snapshot of a level: `3`, `3/5` (of 5 levels), '' is the strongest.

    Raises RunError if there is no such level.
    """
    if not text:
        return strongest(snapshots)
    number, _, count = text.partition('/')
    if not number.isdecimal() or (count and not count.isdecimal()):
        raise RunError(f'a level is written 3 or 3/5, not {text!r}')
    levels = list_levels(snapshots, int(count or 0))
    if not 1 <= int(number) <= len(levels):
        raise RunError(f'no level {number}; levels: 1 to {len(levels)}')
    return levels[int(number) - 1].snapshot
