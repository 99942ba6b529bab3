"""Difficulty levels by reward: snapshots of a run, chosen by what they earned against random play.

With N levels, level i is the snapshot whose reward is closest to R_max * i / N, where R_max is the
reward of the strongest one (Kusmenko et al., 2022). Levels by rating are in `ladder.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan, sqrt
from pathlib import Path

from gdl_agents.learning.dqn.model import About
from gdl_agents.learning.errors import RunError
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_agents.learning.training.state_file import peek
from gdl_env.play.reward_scale import LOWEST

# In front of a level: by the rewards of snapshots, whatever ratings say.
BY_REWARD = 'reward:'


@dataclass(frozen=True)
class Snapshot:
    """A checkpoint on disk."""

    path: Path
    about: About

    @property
    def tag(self) -> str:
        """Return what the snapshots of all learners of one moment have in common."""
        stem = self.path.stem
        for learner in ('all', *self.about.roles):
            before, found, after = stem.rpartition(f'{learner}_')
            if found and (not before or before.endswith('_')):
                return before + after
        return stem


@dataclass(frozen=True)
class Level:
    """A difficulty: 1 is the easiest."""

    number: int
    # What it should have: a rating above random play [Elo], or a reward.
    target: float
    snapshot: Snapshot
    # How the player of the snapshot is weakened: the share of random moves, the unit of reward by
    # which moves are drawn (0: the best is played), and descents of its search (0: all it has).
    epsilon: float = 0.0
    temperature: float = 0.0
    playouts: int = 0
    # The rating it has; nan where levels go by reward.
    elo: float = nan

    @property
    def made_of(self) -> str:
        """Return which snapshot plays, and how it is weakened."""
        episodes = self.snapshot.about.episodes
        return describe_player(episodes, self.epsilon, self.temperature, self.playouts)


def describe_player(episodes: int, epsilon: float, temperature: float, playouts: int = 0) -> str:
    """Return what a player is made of, in words."""
    if epsilon >= 1:
        return 'random play'
    parts = [f'after {episodes:,} episodes']
    if playouts:
        parts.append(f'{playouts} playouts')
    if temperature:
        parts.append(f'temperature {temperature:g}')
    if epsilon:
        parts.append(f'{epsilon:.0%} random moves')
    return ', '.join(parts)


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
    """Return the snapshot with the highest reward; the latest within one standard error of it.

    Those that are proved come before all others; in solved games, those that are right more often;
    where it is known how much best responses gain, those against which they gain less.
    """
    best = max(snapshots, key=lambda snapshot: _strength(snapshot.about))
    return max(
        (one for one in snapshots if _is_as_good(one.about, best.about)),
        key=lambda snapshot: (snapshot.about.episodes, snapshot.about.reward),
    )


def _strength(about: About) -> tuple[float, ...]:
    return about.proved, about.right, -about.exploitability, about.reward, about.episodes


def _is_as_good(about: About, best: About) -> bool:
    """Tell whether one is as good as the best, as far as the games that were played can say.

    Whoever beats the judge nearly always differs from others by luck alone; of those, the
    one that has learned longest is the strongest.
    """
    is_alike = _strength(replace(about, reward=best.reward))[:4] == _strength(best)[:4]
    noise = sqrt(_variance(about) + _variance(best))
    return is_alike and about.reward >= best.reward - noise


def _variance(about: About) -> float:
    """Return how far a mean reward may be from what more games would give, squared; at most."""
    if not about.games:
        return 0.0
    # Two games more with both ends of the scale: a few games that were all won prove little.
    mean = about.reward * about.games / (about.games + 2)
    return (mean - LOWEST) * (-LOWEST - mean) / about.games


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
    number, count = parse_level(text)
    return pick_level(list_levels(snapshots, count), number).snapshot


def parse_level(text: str) -> tuple[int, int]:
    """Return the number of a level, and of how many it is one (0: not said). Raises RunError."""
    number, _, count = text.partition('/')
    if not number.isdecimal() or (count and not count.isdecimal()):
        raise RunError(f'a level is written 3 or 3/5, not {text!r}')
    return int(number), int(count or 0)


def pick_level(levels: list[Level], number: int) -> Level:
    """Return a level by its number. Raises RunError."""
    if not 1 <= number <= len(levels):
        raise RunError(f'no level {number}; levels: 1 to {len(levels)}')
    return levels[number - 1]
