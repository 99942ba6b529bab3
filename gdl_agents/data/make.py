"""From an order to a data set: shard by shard, and on from where a killed program stopped.

Each shard depends on the order and its number alone, so a data set is the same however often its
making was interrupted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from gdl_agents.agent import Agent
from gdl_agents.data.branching import BranchingGames
from gdl_agents.data.columns import (
    GAMES,
    POSITIONS,
    DataColumn,
    Table,
    count_rows,
    join_tables,
    select_rows,
)
from gdl_agents.data.data_card import write_data_card
from gdl_agents.data.data_folder import DataFolder
from gdl_agents.data.errors import DataError
from gdl_agents.data.job import BATTLE, RANDOMISED, THOROUGH, DataJob
from gdl_agents.data.played_tables import (
    DataSizes,
    game_columns,
    position_columns,
    to_games,
    to_positions,
)
from gdl_agents.data.randomised import RandomStates
from gdl_agents.data.recorder import check_lanes
from gdl_agents.data.seatings import RANDOM, DataSeating, list_seatings
from gdl_agents.data.table_files import require_format
from gdl_agents.data.thorough import WholeTree, state_columns, whole_game_columns
from gdl_agents.registry import open_agent
from gdl_env.engine.contract import NATURE
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.lanes import Lanes
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.options import Options
from gdl_env.language.game import Game

_Tables: TypeAlias = dict[str, tuple[tuple[DataColumn, ...], Table]]

# Random states, games or rows in a shard, unless the order says so.
_SHARD = 8_192
_SHARD_ROWS = 250_000
# Lanes at most for agents that think for a given time.
_FEW_LANES = 8


def _ignore(more: int) -> None:
    """Take how many more are done, and do nothing."""


class _Maker(ABC):
    """Makes the shards of an order."""

    # The order with what was left open.
    job: DataJob
    lanes: Lanes
    # The columns of each table.
    columns: dict[str, tuple[DataColumn, ...]]

    @abstractmethod
    def count_shards(self) -> int:
        """Return how many shards there are."""

    @abstractmethod
    def make_shard(self, number: int) -> tuple[_Tables, dict[str, Any]]:
        """Return the tables of a shard, and what is to be known of it."""

    def skip_shard(self, number: int) -> None:  # noqa: B027 - some have nothing to do
        """Take note that a shard was made before."""

    @abstractmethod
    def describe(self, shards: list[dict[str, Any]]) -> dict[str, Any]:
        """Return what is known of all shards together."""


def make_data(
    game: Game, job: DataJob, folder: DataFolder, advance: Callable[[int], None] = _ignore
) -> dict[str, Any]:
    """Make a data set, or what is missing of it; return what is in it.

    `advance` is called with how many more random states or games (thorough: states) are done.
    Raises DataError, TooLargeError, MissingPackageError and what agents raise.
    """
    for form in job.formats:
        require_format(form)
    maker = (_WholeMaker if job.how == THOROUGH else _PlayedMaker)(game, job, advance)
    try:
        with folder.open_for(maker.job):
            if folder.is_complete:
                return folder.read_about()
            shards = []
            for number in range(maker.count_shards()):
                known = folder.read_shard(number)
                if known is None:
                    tables, more = maker.make_shard(number)
                    known = folder.write_shard(number, tables, maker.job.formats, more)
                else:
                    maker.skip_shard(number)
                shards.append(known)
            about = {**_describe(game, maker.job, maker.lanes), **maker.describe(shards)}
            about |= {
                'rows': {n: sum(shard['rows'][n] for shard in shards) for n in maker.columns},
                'columns': {n: [c.to_dict() for c in held] for n, held in maker.columns.items()},
                'shards': shards,
            }
            folder.finish(about, write_data_card(about, maker.columns), game.text)
            return about
    finally:
        maker.lanes.close()


def _describe(game: Game, job: DataJob, lanes: Lanes) -> dict[str, Any]:
    info = Environment(lanes, Options(lanes.lanes)).info(longest=1 << 30)
    return {
        'game': game.name,
        'command': job.to_command(),
        'job': job.to_dict(),
        'roles': list(info.roles),
        'facts': [str(fact) for fact in lanes.batch.facts or ()],
        'features': list(info.facts),
        'moves': list(info.moves),
    }


def _find_sizes(lanes: Lanes) -> DataSizes:
    facts = check_lanes(lanes)
    return DataSizes(len(lanes.players), facts, lanes.observation_size, lanes.action_size)


class _PlayedMaker(_Maker):
    """Shards of games that are played, in batches of lanes."""

    def __init__(self, game: Game, job: DataJob, advance: Callable[[int], None]) -> None:
        self._advance = advance
        self._agents: dict[str, Agent] = {}
        self._seatings: list[DataSeating] = []
        if job.how != RANDOMISED:
            names = (RANDOM, *job.agents) if job.how == BATTLE else job.agents
            roles = tuple(str(role) for role in game.roles if role != NATURE)
            if job.how == BATTLE and len(roles) < 2:
                raise DataError(f'{game.name} has one role only: there is no opponent')
            self._seatings = list_seatings(names[0], names[1:], roles, job.role)
            self._agents = {name: open_agent(name) for name in names}
        agents = self._agents.values()
        width = min(job.lanes, -(-job.number // max(1, len(self._seatings))))
        if any(agent.seconds_a_move for agent in agents):
            width = min(width, _FEW_LANES)
        if any(agent.wants_text for agent in agents):
            width = 1
        share = job.shard or (width if any(a.seconds_a_move for a in agents) else _SHARD)
        # Shards are made of whole batches.
        self._batches = -(-share // width)
        self.job = replace(job, lanes=width, shard=self._batches * width)
        self.lanes = open_lanes(game, width, mapping=job.mapping)
        sizes = _find_sizes(self.lanes)
        self.columns = {POSITIONS: position_columns(sizes), GAMES: game_columns(sizes)}

    def count_shards(self) -> int:
        """Return how many shards there are."""
        return -(-self.job.number // self.job.shard)

    def skip_shard(self, number: int) -> None:
        """Count the random states or games of a shard that was made before."""
        self._advance(self._count_work(number))

    def _count_work(self, number: int) -> int:
        return min(self.job.shard, self.job.number - number * self.job.shard)

    def make_shard(self, number: int) -> tuple[_Tables, dict[str, Any]]:
        """Play the games of a shard."""
        job = self.job
        source: RandomStates | BranchingGames
        if job.how == RANDOMISED:
            source = RandomStates(job, self.lanes)
        else:
            source = BranchingGames(job, self.lanes, self._agents, self._seatings)
        parts: dict[str, list[Table]] = {POSITIONS: [], GAMES: []}
        first = number * self._batches
        for batch in range(first, first + -(-self._count_work(number) // job.lanes)):
            count = min(job.lanes, job.number - batch * job.lanes)
            for endings in source.play_batch(batch, count):
                parts[POSITIONS].append(to_positions(endings))
                parts[GAMES].append(to_games(endings))
            self._advance(count)
        tables: _Tables = {}
        for name, columns in self.columns.items():
            table = join_tables(columns, parts[name])
            # By game; positions of a game are in order already.
            order = np.argsort(table['game'], kind='stable')
            tables[name] = columns, select_rows(columns, table, order)
        goals = tables[GAMES][1]['goals'].astype(np.int64)
        scored = np.maximum(goals, 0).sum(axis=0).tolist()
        return tables, {'goals': scored, 'scored': (goals >= 0).sum(axis=0).tolist()}

    def describe(self, shards: list[dict[str, Any]]) -> dict[str, Any]:
        """Return what else is known of all shards together."""
        roles = tuple(map(str, self.lanes.players))
        goals = np.sum([shard['goals'] for shard in shards], axis=0)
        scored = np.sum([shard['scored'] for shard in shards], axis=0)
        return {
            'seatings': [seating.to_dict(roles) for seating in self._seatings],
            'mean_goals': (goals / np.maximum(scored, 1)).round(4).tolist(),
        }


class _WholeMaker(_Maker):
    """Shards of the whole tree of a game, which is explored first."""

    def __init__(self, game: Game, job: DataJob, advance: Callable[[int], None]) -> None:
        self._advance = advance
        self.job = replace(job, shard=job.shard or _SHARD_ROWS)
        self.lanes = open_lanes(game, 1, mapping=job.mapping)
        sizes = _find_sizes(self.lanes)
        self.columns = {POSITIONS: state_columns(sizes)}
        if job.sequences:
            self.columns[GAMES] = whole_game_columns(sizes)
        self._tree: WholeTree | None = None
        self._tables: dict[str, Table] = {}

    def _explore(self) -> dict[str, Table]:
        if not self._tables:
            self._tree = WholeTree(self.job, self.lanes, self._advance)
            self._tables[POSITIONS] = self._tree.to_positions()
            if self.job.sequences:
                self._tables[GAMES] = self._tree.to_games()
        return self._tables

    def _count(self) -> int:
        return max(count_rows(self.columns[n], table) for n, table in self._explore().items())

    def count_shards(self) -> int:
        """Return how many shards there are."""
        return -(-self._count() // self.job.shard)

    def make_shard(self, number: int) -> tuple[_Tables, dict[str, Any]]:
        """Return some rows of each table."""
        first = number * self.job.shard
        tables: _Tables = {}
        for name, table in self._explore().items():
            columns = self.columns[name]
            last = min(first + self.job.shard, count_rows(columns, table))
            tables[name] = columns, select_rows(columns, table, np.arange(first, max(first, last)))
        return tables, {}

    def describe(self, shards: list[dict[str, Any]]) -> dict[str, Any]:
        """Return what else is known of all shards together."""
        self._explore()
        assert self._tree is not None
        return {'seatings': [], 'no_values': self._tree.no_values}
