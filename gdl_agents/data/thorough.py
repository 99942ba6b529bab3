"""The whole tree of a game: every state once, and every game if wanted.

Games and ways are counted by move: simultaneous moves and outcomes of chance count as different
ones. Where a state can be met again, games have no end, and nothing is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gdl_agents.data.columns import OFFSETS, DataColumn, Table, packed
from gdl_agents.data.errors import DataError
from gdl_agents.data.job import DataJob
from gdl_agents.data.played_tables import DataSizes, sequence_columns
from gdl_agents.data.recorder import Numbers, check_lanes, pack_states
from gdl_agents.data.state_graph import explore_states, spread_ranges
from gdl_agents.solving.errors import NoValuesError, TooLargeError
from gdl_agents.solving.methods.open_values import solve_open
from gdl_agents.solving.tree.game_tree import TreeBudget
from gdl_agents.solving.tree.row_index import RowIndex
from gdl_env.environment.lanes.lanes import Lanes
from gdl_env.environment.protocol import NO_ACTION
from gdl_env.language.game import Information


def state_columns(sizes: DataSizes) -> tuple[DataColumn, ...]:
    """Return the columns of positions: one row for each state and each player who moves there."""
    roles = (sizes.roles,)
    return (
        DataColumn('position', 'int64', 'the number of the state'),
        DataColumn('depth', 'int32', 'moves on the shortest way to it'),
        DataColumn(
            'player', 'int8', 'who moves: a number in the list of roles; -1: chance, or no one'
        ),
        DataColumn('is_final', 'bool', 'whether the game is over'),
        packed('state', sizes.facts, 'the whole state, hidden facts too: a bit for each fact'),
        packed('observation', sizes.entries, 'what this player sees of it; nothing for -1'),
        packed('legal', sizes.actions, 'its legal actions; none for -1'),
        DataColumn('goals', 'int16', 'how the game ended for each role; -1 before', roles),
        DataColumn(
            'value', 'float32', 'goals if all play as well as they can; nan: unknown', roles
        ),
        DataColumn(
            'mean_goals', 'float64', 'mean goals of random play; nan if games have no end', roles
        ),
        DataColumn('ways', 'float64', 'ways to reach it; nan if games have no end'),
        DataColumn('endings', 'float64', 'games that continue from it; nan if they have no end'),
    )


def whole_game_columns(sizes: DataSizes) -> tuple[DataColumn, ...]:
    """Return the columns of games."""
    return (
        DataColumn('game', 'int64', 'its number'),
        DataColumn('length', 'int32', 'its moves'),
        DataColumn('chance', 'float64', 'how likely chance makes it, given the moves of players'),
        DataColumn('goals', 'int16', 'how it ended for each role', (sizes.roles,)),
        packed('final_state', sizes.facts, 'its last state'),
        *sequence_columns(),
    )


class WholeTree:
    """All states of a game as tables. Raises DataError or TooLargeError."""

    def __init__(self, job: DataJob, lanes: Lanes, advance: Callable[[int], None]) -> None:
        game = lanes.game
        if game.information is Information.PERCEPTS:
            raise DataError(
                f'what players of {game.name} see depends on moves, not on states: thorough data'
                ' would not hold it; choose another way'
            )
        self._job = job
        self._lanes = lanes
        self._facts = check_lanes(lanes)
        self._rules = lanes.batch
        self.graph = explore_states(self._rules, job.nodes, advance)
        self._layers = self.graph.sort_layers()
        # Why values are not known; '' if they are.
        self.no_values = ''

    def to_positions(self) -> Table:
        """Return the rows of all states."""
        graph = self.graph
        number, player = self._find_rows()
        observation, legal = self._show(number, player)
        return {
            'position': number,
            'depth': graph.depth[number].astype(np.int32),
            'player': player.astype(np.int8),
            'is_final': graph.is_final[number],
            'state': pack_states(self._facts, graph.states[number]),
            'observation': observation,
            'legal': legal,
            'goals': self._goals[number],
            'value': self._find_values()[number].astype(np.float32),
            'mean_goals': self._find_means()[number],
            'ways': self._count_ways()[number],
            'endings': self.count_endings()[number],
        }

    # ---- rows

    def _find_rows(self) -> tuple[Numbers, Numbers]:
        """Return the state and the player of each row.

        These are all who decide; where no one does, who has a move besides `noop`; or nobody.
        """
        graph, players, nature = self.graph, list(self._rules.players), self._rules.nature
        shown = graph.decides[:, players]
        forced = (shown.sum(axis=1) == 0) & ~graph.is_final
        if nature >= 0:
            # Where chance moves, too, it is the players' turn only if they have a choice.
            forced &= ~graph.acting[:, nature]
        real = self._rules.look(graph.states[forced]).find_real_moves(self._rules)
        shown[forced] = (graph.acting[forced] & real)[:, players]
        shown = np.column_stack([shown, shown.sum(axis=1) == 0])
        number, player = np.nonzero(shown)
        return number, np.where(player == len(players), -1, player)

    def _show(
        self, number: Numbers, player: Numbers
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Return what players see, and what is legal, as packed bits."""
        lanes, states = self._lanes, self.graph.states[number]
        observation = np.zeros((len(number), -(-lanes.observation_size // 8)), np.uint8)
        legal = np.zeros((len(number), -(-lanes.action_size // 8)), np.uint8)
        seen = np.zeros((len(number), self._rules.percept_words), np.uint64)
        for index, role in enumerate(self._rules.players):
            rows = np.flatnonzero(player == index)
            if not len(rows):
                continue
            observation[rows] = lanes.observe(index, states[rows], seen[rows]).data
            look = self._rules.look(states[rows])
            owner, place = spread_ranges(*_ranges(look.starts, role))
            action = self._actions_of(look.rows[place])
            bit = (1 << (action & 7)).astype(np.uint8)
            np.bitwise_or.at(legal, (rows[owner], action >> 3), bit)
        return observation, legal

    def _actions_of(self, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the actions of legal moves."""
        known, which = np.unique(rows, return_inverse=True)
        mapping, roles = self._lanes.mapping, self._rules.roles
        assert mapping is not None
        moves = [self._rules.legal_move(row) for row in known.tolist()]
        found = [mapping.action_index(roles[role], move) for role, move in moves]
        return np.array(found, np.int32)[which]

    # ---- what states are worth

    @cached_property
    def _goals(self) -> NDArray[np.int16]:
        graph = self.graph
        goals = np.full((len(graph), len(self._rules.players)), -1, np.int16)
        final = graph.is_final
        goals[final] = self._rules.goals(graph.states[final])[:, list(self._rules.players)]
        return goals

    def _find_values(self) -> NDArray[np.float64]:
        players = len(self._rules.players)
        nothing = np.full((len(self.graph), players), np.nan)
        try:
            found = solve_open(self._rules, TreeBudget(2 * self._job.nodes, float('inf')))
        except NoValuesError as error:
            self.no_values = str(error)
            return nothing
        index = RowIndex(found.states.shape[1])
        index.add(found.states)
        value = found.find_exact()[index.find(self.graph.states)]
        return np.column_stack([value, 100 - value][:players])

    def _find_means(self) -> NDArray[np.float64]:
        mean = self._goals.astype(np.float64)
        if self._layers is None:
            return np.where(self.graph.is_final[:, None], mean, np.nan)
        mean[~self.graph.is_final] = 0
        moves, starts = self.graph.moves, self._starts
        for layer in reversed(self._layers):
            owner, place = spread_ranges(starts, layer)
            np.add.at(mean, layer[owner], moves.likely[place, None] * mean[moves.child[place]])
        return mean

    def count_endings(self) -> NDArray[np.float64]:
        """Return how many games continue from each state; nan if games have no end."""
        if self._layers is None:
            return np.full(len(self.graph), np.nan)
        count = self.graph.is_final.astype(np.float64)
        for layer in reversed(self._layers):
            owner, place = spread_ranges(self._starts, layer)
            np.add.at(count, layer[owner], count[self.graph.moves.child[place]])
        return count

    def _count_ways(self) -> NDArray[np.float64]:
        if self._layers is None:
            return np.full(len(self.graph), np.nan)
        ways = np.zeros(len(self.graph))
        ways[0] = 1
        for layer in self._layers:
            owner, place = spread_ranges(self._starts, layer)
            np.add.at(ways, self.graph.moves.child[place], ways[layer[owner]])
        return ways

    @cached_property
    def _starts(self) -> Numbers:
        """Return where the moves of each state begin, and one more."""
        return np.searchsorted(self.graph.moves.parent, np.arange(len(self.graph) + 1))

    # ---- games

    def to_games(self) -> Table:
        """Return the rows of all games. Raises TooLargeError, DataError if they have no end."""
        total = self.count_endings()[0]
        name = self._lanes.game.name
        if np.isnan(total):
            raise DataError(f'games of {name} need not end: they cannot be listed (--sequences)')
        if total > self._job.nodes:
            raise TooLargeError(
                f'{name} has {total:,.0f} games, more than {self._job.nodes:,}: allow more by'
                ' --nodes, or leave out --sequences'
            )
        graph, moves = self.graph, self.graph.moves
        actions = self._number_decisions()
        # Level by level: the state each history has reached; the move that led there, and from
        # which history of the level before.
        state, chance = np.zeros(1, np.int64), np.ones(1)
        levels: list[tuple[Numbers, Numbers]] = []
        parts = []
        while len(state):
            over = np.flatnonzero(graph.is_final[state])
            if len(over):
                parts.append((self._trace(levels, over, actions), state[over], chance[over]))
            before, place = spread_ranges(self._starts, state)
            levels.append((before, place))
            state, chance = moves.child[place], chance[before] * moves.chance[place]
        return self._write_games(parts)

    def _number_decisions(self) -> NDArray[np.int32]:
        """Return the actions that were decided in each move: moves by players."""
        moves, players = self.graph.moves, self._rules.players
        actions = np.full((len(moves.parent), len(players)), NO_ACTION, np.int32)
        for index, role in enumerate(players):
            decided = np.flatnonzero(self.graph.decides[moves.parent, role])
            decided = decided[moves.legal[decided, role] >= 0]
            if len(decided):
                actions[decided, index] = self._actions_of(moves.legal[decided, role])
        return actions

    def _trace(
        self, levels: list[tuple[Numbers, Numbers]], over: Numbers, actions: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """Return the actions of histories from their beginning: histories by moves by players."""
        lines = np.full((len(over), len(levels), actions.shape[1]), NO_ACTION, np.int32)
        for level in range(len(levels) - 1, -1, -1):
            before, place = levels[level]
            lines[:, level] = actions[place[over]]
            over = before[over]
        return lines

    def _write_games(
        self, parts: list[tuple[NDArray[np.int32], Numbers, NDArray[np.float64]]]
    ) -> Table:
        final = np.concatenate([state for _, state, _ in parts])
        sizes = np.concatenate([(lines >= 0).sum(axis=(1, 2)) for lines, _, _ in parts])
        length = np.concatenate([np.full(len(lines), lines.shape[1]) for lines, _, _ in parts])
        places = [np.nonzero(lines >= 0) for lines, _, _ in parts]
        held = [lines[place] for (lines, _, _), place in zip(parts, places, strict=True)]
        return {
            'game': np.arange(len(final)),
            'length': length.astype(np.int32),
            'chance': np.concatenate([chance for _, _, chance in parts]),
            'goals': self._goals[final],
            'final_state': pack_states(self._facts, self.graph.states[final]),
            OFFSETS: np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            'actions': np.concatenate(held),
            'players': np.concatenate([place[2] for place in places]).astype(np.int8),
            'steps': np.concatenate([place[1] for place in places]).astype(np.int32),
        }


def _ranges(starts: NDArray[np.int64], role: int) -> tuple[Numbers, Numbers]:
    """Return the ranges of one role's moves as `spread_ranges` takes them."""
    pairs = np.ascontiguousarray(starts[:, role : role + 2]).reshape(-1)
    return pairs, 2 * np.arange(len(starts))
