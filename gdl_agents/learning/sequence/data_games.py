"""Games of a data set as sequences, in batches: shuffled inside each shard."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.data.columns import Table
from gdl_agents.data.data_folder import DataFolder
from gdl_agents.data.errors import DataError
from gdl_agents.data.reader import read_shard
from gdl_agents.learning.errors import ConfigError
from gdl_agents.learning.mmd.sequences import Sequences
from gdl_agents.learning.sequence.learned_games import LearnedGames
from gdl_agents.players.draws import derive_seed
from gdl_env.environment.protocol import NO_ACTION, MatchInfo
from gdl_env.language.game import Game


@dataclass(frozen=True)
class DataShard:
    """A shard in the memory: the sequences of its games, game by game."""

    games: LearnedGames
    # int64 (games + 1): where the sequences of each game begin.
    first: NDArray[np.int64]

    @cached_property
    def decisions(self) -> NDArray[np.int64]:
        """Return how many rows each game has, added up."""
        rows = np.concatenate(([0], np.cumsum(self.games.sequences.lengths)))
        return np.diff(rows[self.first])


class DataGames:
    """Takes batch after batch from a data set, pass after pass, in an order drawn by a seed."""

    def __init__(self, folder: str, game: Game, info: MatchInfo, seed: int) -> None:
        """Open a data set. Raises ConfigError if it is not one of this game, as it is seen here.

        - info: with the moves and facts of all indices
        """
        self._path = Path(folder)
        about = _read_about(folder)
        _check(folder, about, game, info)
        self._seed = seed
        self._shards = len(about['shards'])
        # How many games there are.
        self.size = int(about['rows'].get('games', 0))
        if not self.size:
            raise ConfigError(
                f'data={folder} lists states, not games that were played; make it with --how'
                ' randomised, battle or imitation'
            )
        # Passes that are over, shards of this one, and games of this shard.
        self._place = [0, 0, 0]
        self._held: tuple[int, DataShard] | None = None
        # Games that were taken so far.
        self.taken = 0

    def take(self, decisions: int) -> LearnedGames:
        """Return the next games, with so many decisions together."""
        passes, at, start = self._place
        order = self._draw_order(f'pass {passes}', self._shards)
        shard = self._open(int(order[at]))
        number = len(shard.first) - 1
        games = self._draw_order(f'pass {passes} shard {order[at]}', number)
        sums = np.cumsum(shard.decisions[games[start:]])
        end = min(number, start + int(np.searchsorted(sums, decisions)) + 1)
        chosen = games[start:end]
        self.taken += len(chosen)
        if end < number:
            self._place = [passes, at, end]
        else:
            self._place = [passes, at + 1, 0] if at + 1 < self._shards else [passes + 1, 0, 0]
        counts = np.diff(shard.first)[chosen]
        begin = np.repeat(shard.first[chosen] - (np.cumsum(counts) - counts), counts)
        return shard.games.take(begin + np.arange(counts.sum()))

    def to_tree(self) -> dict[str, Any]:
        """Return where it is."""
        return {'place': list(self._place), 'taken': self.taken}

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned, of the same data."""
        self._place, self.taken = list(tree['place']), tree['taken']

    # ---- inside

    def _draw_order(self, about: str, count: int) -> NDArray[np.int64]:
        key = derive_seed(self._seed, f'data {about}')
        return np.random.Generator(np.random.Philox(key=key)).permutation(count)

    def _open(self, number: int) -> DataShard:
        if self._held is None or self._held[0] != number:
            # The one before is forgotten first.
            self._held = None
            positions = read_shard(self._path, number, is_packed=True).positions
            self._held = number, to_shard(positions)
        return self._held[1]


def find_data_size(folder: str) -> tuple[int, int]:
    """Return how many games and decisions a data set has. Raises ConfigError."""
    rows = _read_about(folder)['rows']
    return int(rows.get('games', 0)), int(rows['positions'])


def _read_about(folder: str) -> dict[str, Any]:
    try:
        return DataFolder(Path(folder)).read_about()
    except DataError as error:
        raise ConfigError(f'data={folder}: {error}') from error


def to_shard(positions: Table) -> DataShard:
    """Return positions as the sequences of roles.

    A game that repeats another one begins where its own positions do.
    """
    order = np.lexsort((positions['step'], positions['player'], positions['game']))
    table = {name: column[order] for name, column in positions.items()}
    game, player = table['game'], table['player'].astype(np.int64)
    is_first = np.ones(len(game), np.bool_)
    is_first[1:] = (game[1:] != game[:-1]) | (player[1:] != player[:-1])
    begin = np.flatnonzero(is_first)
    lengths = np.diff(np.append(begin, len(game)))
    action = table['action'].astype(np.int64)
    last = np.where(is_first, NO_ACTION, np.roll(action, 1))
    reward = np.zeros(len(game), np.float32)
    ends = begin + lengths - 1
    reward[ends] = table['reward'][ends]
    nothing = np.zeros((len(game), 0), np.uint8)
    sequences = Sequences(
        lengths,
        player[begin],
        table['observation'],
        table['legal'],
        nothing,
        last,
        action,
        reward,
    )
    _, of_game = np.unique(game[begin], return_index=True)
    first = np.append(of_game, len(begin)).astype(np.int64)
    return DataShard(LearnedGames(sequences, ~table['is_extra']), first)


def _check(folder: str, about: dict[str, Any], game: Game, info: MatchInfo) -> None:
    """Raise ConfigError unless data is of this game, seen in the same way."""
    held = about['job']['rules_hash']
    if held != game.hash:
        raise ConfigError(
            f'data={folder} is of {about["game"]}, or of other rules: their hash is {held}, that'
            f' of {game.name} is {game.hash}'
        )
    for name, own in (('features', info.facts), ('moves', info.moves), ('roles', info.roles)):
        if tuple(about[name]) != tuple(own):
            raise ConfigError(
                f'data={folder}: its {name} are not those of this match; was it made with another'
                ' mapping?'
            )
