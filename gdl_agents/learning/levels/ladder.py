"""Difficulty levels that people can feel: players of one run, evenly spaced in Elo.

Players are made of the snapshots of a run, and weaker ones of the strongest snapshot: at a
temperature they choose among moves that are nearly as good, with an epsilon they move at random
now and then, and those that search do so for less. All of them, random play included, meet each
other; Elo ratings from that decide which player is which level. No two levels are the same player.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, nan
from typing import Any

import yaml

from gdl_agents.learning.errors import RunError
from gdl_agents.learning.levels.elo import expected_score
from gdl_agents.learning.levels.reward_levels import (
    BY_REWARD,
    Level,
    Snapshot,
    describe_player,
    list_levels,
    list_snapshots,
    parse_level,
    pick_level,
    strongest,
)
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_agents.learning.training.state_file import write_file
from gdl_env.yaml_text import YamlTextError, read_yaml

# Levels that are closer than this are not told apart by people [Elo].
LEAST_STEP = 15.0
_VERSION = 1


@dataclass(frozen=True)
class Player:
    """A player that can be a level: a moment of the run, and how it is weakened."""

    # The tag of its snapshot, and after how many episodes that was taken; '' is random play.
    snapshot: str
    episodes: int
    # The share of random moves; 1 is random play.
    epsilon: float = 0.0
    # Moves are drawn by their values in this unit of reward; 0 plays the best.
    temperature: float = 0.0
    # Descents of its search for a move; 0 is what its agent searches, or no search.
    playouts: int = 0
    # Above random play.
    elo: float = nan
    # Mean reward against random players.
    reward: float = nan

    @property
    def is_random(self) -> bool:
        """Tell whether it needs no snapshot."""
        return self.epsilon >= 1

    def __str__(self) -> str:
        return describe_player(self.episodes, self.epsilon, self.temperature, self.playouts)


@dataclass(frozen=True)
class Ladder:
    """Calibrated players, the weakest first, and what they scored against each other."""

    players: tuple[Player, ...]
    # By two players: the share of points of the first; nan where they did not meet.
    scores: tuple[tuple[float, ...], ...] = field(default=(), repr=False)
    # Levels that are offered if no number is given.
    count: int = 10

    @property
    def most(self) -> int:
        """Return how many levels can be told apart."""
        return len(self._thin())

    def choose(self, count: int = 0) -> list[Player]:
        """Return the players of so many levels, evenly spaced in Elo, the last the strongest.

        Fewer if there are not so many that can be told apart. Raises RunError for more levels than
        that if a number is given.
        """
        usable = self._thin()
        if count > len(usable):
            raise RunError(f'there are {len(usable)} levels that differ, not {count}')
        count = count or min(self.count, len(usable))
        if count == 1:
            return [usable[-1]]
        low, high = usable[0].elo, usable[-1].elo
        chosen: list[Player] = []
        start = 0
        for number in range(count):
            wanted = low + (high - low) * number / (count - 1)
            # Some must be left for the levels above.
            end = len(usable) - (count - 1 - number)
            best = min(range(start, end), key=lambda i: abs(usable[i].elo - wanted))
            chosen.append(usable[best])
            start = best + 1
        chosen[-1] = usable[-1]
        return chosen

    def share_against(self, one: Player, other: Player) -> float:
        """Return the share of points against another player: as played, or as Elo expects."""
        first, second = self.players.index(one), self.players.index(other)
        played = self.scores[first][second] if self.scores else nan
        return played if isfinite(played) else float(expected_score(one.elo - other.elo))

    def to_yaml(self) -> str:
        """Return the ladder as a file."""
        rows = [
            {
                'snapshot': player.snapshot,
                'episodes': player.episodes,
                'epsilon': player.epsilon,
                'temperature': player.temperature,
                'playouts': player.playouts,
                'elo': round(player.elo, 1),
                'reward': round(player.reward, 3),
            }
            for player in self.players
        ]
        scores = [[round(score, 4) for score in row] for row in self.scores]
        tree = {'version': _VERSION, 'count': self.count, 'players': rows, 'scores': scores}
        return str(yaml.safe_dump(tree, sort_keys=False, default_flow_style=None))

    def _thin(self) -> list[Player]:
        """Return players that can be told apart, the weakest and the strongest among them."""
        found = [self.players[-1]]
        for player in reversed(self.players[:-1]):
            if found[-1].elo - player.elo >= LEAST_STEP:
                found.append(player)
        if len(found) > 1 and found[-1] != self.players[0]:
            # The easiest is the weakest there is.
            found[-1] = self.players[0]
        return found[::-1]


def read_ladder(run: RunFolder) -> Ladder | None:
    """Return the ladder of a run; None if it has none yet. Raises RunError."""
    path = run.levels_file
    if not path.is_file():
        return None
    try:
        tree: Any = read_yaml(path.read_text('utf-8'))
        if tree['version'] != _VERSION:
            raise RunError(f'{path} is of version {tree["version"]}, not {_VERSION}')
        players = tuple(Player(**row) for row in tree['players'])
        scores = tuple(tuple(map(float, row)) for row in tree['scores'])
        if not players or any(len(row) != len(players) for row in (scores, *scores)):
            raise RunError(f'{path} holds no whole ladder')
        return Ladder(players, scores, int(tree['count']))
    except (OSError, YamlTextError, KeyError, TypeError, ValueError) as error:
        raise RunError(f'{path} holds no ladder: {error!r}; remove it, and gdl levels') from error


def write_ladder(run: RunFolder, ladder: Ladder) -> None:
    """Write the ladder of a run."""
    write_file(run.levels_file, ladder.to_yaml().encode())


def list_run_levels(run: RunFolder, role: str = '', count: int = 0) -> list[Level]:
    """Return the levels of a run for a role: by rating, or by reward where none are known.

    Raises RunError.
    """
    ladder = read_ladder(run)
    snapshots = list_snapshots(run, role)
    if ladder is None:
        return list_levels(snapshots, count)
    chosen = ladder.choose(count)
    low, high = chosen[0].elo, chosen[-1].elo
    step = (high - low) / max(1, len(chosen) - 1)
    levels = []
    for number, player in enumerate(chosen, 1):
        snapshot = find_snapshot(snapshots, player)
        snapshot = replace(snapshot, about=replace(snapshot.about, reward=player.reward))
        target = high - step * (len(chosen) - number)
        weaker = player.epsilon, player.temperature, player.playouts
        levels.append(Level(number, target, snapshot, *weaker, player.elo))
    return levels


def find_run_level(run: RunFolder, text: str, role: str = '') -> Level:
    """Return a level of a run: `3`, `3/5`, `reward:3`; '' is the strongest. Raises RunError."""
    snapshots = list_snapshots(run, role)
    if not text:
        best = strongest(snapshots)
        return Level(1, best.about.reward, best)
    by_reward = text.startswith(BY_REWARD)
    number, count = parse_level(text.removeprefix(BY_REWARD))
    levels = list_levels(snapshots, count) if by_reward else list_run_levels(run, role, count)
    return pick_level(levels, number)


def find_snapshot(snapshots: Sequence[Snapshot], player: Player) -> Snapshot:
    """Return the snapshot of a player; any of them for random play. Raises RunError."""
    for snapshot in snapshots:
        if player.is_random or snapshot.tag == player.snapshot:
            return snapshot
    raise RunError(f'there is no snapshot {player.snapshot} any more: calibrate the levels again')
