"""Monte-Carlo regret minimisation with external sampling, for games too large for a tree.

In each pass one player tries all its moves, while those of the others, and chance, are drawn
(Lanctot et al. 2009). Many passes go down side by side on the batched engine. What is kept are the
information sets that were met, with regrets and the sum of strategies.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.game.random_moves import draw_outcomes, sample_moves
from gdl_agents.solving.errors import TooLargeError
from gdl_agents.solving.playing.strategy_table import RolePart
from gdl_agents.solving.tree.frontier import Frontier, Turn
from gdl_agents.solving.tree.own_paths import Numbers, OwnPaths
from gdl_agents.solving.tree.sight import TableSight
from gdl_env.engine.batch.contract import Rows

# Passes that go down together.
_PASSES = 256


@dataclass(frozen=True)
class SampledSolution:
    """The average strategies of all roles at the information sets that were met."""

    sight: TableSight
    parts: list[RolePart]
    iterations: int
    nodes: int
    # Processor time [s].
    seconds: float


class ExternalSampling:
    """Learns by passes through the game."""

    def __init__(self, sight: TableSight, seed: int, most_sets: int) -> None:
        self._frontier = Frontier(sight)
        self._chance = np.random.Generator(np.random.Philox(key=seed))
        self._tables = [_Table(own) for own in self._frontier.own]
        self._most_sets = most_sets
        self._nodes = 0

    def run(self, seconds: float, most: int = 1_000_000_000) -> SampledSolution:
        """Learn until the time is up, or by so many passes.

        Raises TooLargeError if more information sets are met than there is room for.
        """
        started, done = process_time(), 0
        while done < most and process_time() - started < seconds:
            for player in range(len(self._tables)):
                self._pass_down(player, min(_PASSES, most - done))
            done += min(_PASSES, most - done)
        frontier = self._frontier
        parts = [
            RolePart(str(frontier.rules.roles[own.role]), own, table.average())
            for own, table in zip(frontier.own, self._tables, strict=True)
        ]
        spent = process_time() - started
        return SampledSolution(frontier.sight, parts, done, self._nodes, spent)

    def _pass_down(self, player: int, count: int) -> None:
        """Go down with all moves of one player; learn on the way back."""
        histories = self._frontier.begin(count)
        steps: list[_Step] = []
        while len(histories):
            self._nodes += len(histories)
            turn, is_over = self._frontier.find_turns(histories)
            values = np.zeros(len(histories))
            values[is_over] = self._frontier.goals(histories.select(is_over))[:, player]
            self._check_room()
            parent, legal = self._choose(turn, player)
            states = turn.histories.states[parent]
            does = draw_outcomes(self._frontier.rules, states, legal, self._chance)
            after = self._frontier.rules.step(states, does)
            histories = self._frontier.advance(turn, parent, legal, does, after)
            steps.append(_Step(turn, parent, values, histories.paths[:, player]))
        value = np.zeros(0)
        for step in reversed(steps):
            value = self._learn(step, player, value)

    def _check_room(self) -> None:
        sets = sum(map(len, self._frontier.own))
        if sets > self._most_sets:
            raise TooLargeError(
                f'{self._frontier.rules.game.name} is larger than {self._most_sets:,} nodes:'
                f' {sets:,} information sets were met in {self._nodes:,} histories'
            )

    def _choose(self, turn: Turn, player: int) -> tuple[Numbers, Rows]:
        """Return the moves to follow: all of the player's, one drawn for each other role."""
        drawn = sample_moves(self._frontier.rules, turn.look, turn.acting, self._chance)
        for other, own in enumerate(self._frontier.own):
            deciding = np.flatnonzero(turn.decides[:, own.role])
            if other == player or not len(deciding):
                continue
            table = self._tables[other]
            sets = own.sets_at(turn.histories.paths[deciding, other])
            places, likely = table.strategy(sets)
            # Of those whose turn to learn comes next, strategies are added up.
            if other == (player + 1) % len(self._tables):
                np.add.at(table.total, places, likely)
            marks = self._chance.random(len(sets))[:, None]
            chosen = np.minimum(
                (np.cumsum(likely, axis=1) < marks).sum(axis=1), own.count[sets] - 1
            )
            moves = np.array(own.moves)[own.first[sets] + chosen]
            drawn[deciding, own.role] = self._frontier.sight.rows_of(own.role, moves)
        role = self._frontier.players[player]
        mine = turn.decides[:, role]
        counts = np.where(mine, turn.look.counts()[:, role], 1)
        parent = np.repeat(np.arange(len(counts)), counts)
        legal = drawn[parent]
        place = np.arange(len(parent)) - np.repeat(np.cumsum(counts) - counts, counts)
        all_mine = mine[parent]
        rows = turn.look.starts[parent[all_mine], role] + place[all_mine]
        legal[all_mine, role] = turn.look.rows[rows]
        return parent, legal

    def _learn(self, step: _Step, player: int, after: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what the histories before a step are worth; add up regrets."""
        turn, own, table = step.turn, self._frontier.own[player], self._tables[player]
        count = len(turn.histories)
        deciding = turn.decides[:, own.role]
        mine = deciding[step.parent]
        sequence = own.sequence_of[step.paths[mine]]
        sets = own.sets_at(turn.histories.paths[:, player][deciding])
        places, likely = table.strategy(sets)
        # Sequences of the same information set may be met in several passes.
        strategy = np.zeros(len(table.regret))
        strategy[places] = likely
        weight = np.ones(len(step.parent))
        weight[mine] = strategy[sequence]
        mean = np.bincount(step.parent, weight * after, count)
        np.add.at(table.regret, sequence, after[mine] - mean[step.parent[mine]])
        values: NDArray[np.float64] = step.values.copy()
        np.add.at(values, turn.origin, turn.likely * mean)
        return values


@dataclass(frozen=True)
class _Step:
    """One step of many passes, for the way back."""

    turn: Turn
    parent: Numbers
    # Goals where histories were over before the step, and the paths of the player after it.
    values: NDArray[np.float64]
    paths: Numbers


class _Table:
    """Regrets and sums of strategies of one player, by sequence; one more place for padding."""

    def __init__(self, own: OwnPaths) -> None:
        self._own = own
        self.regret = np.zeros(1024)
        self.total = np.zeros(1024)

    def strategy(self, sets: Numbers) -> tuple[Numbers, NDArray[np.float64]]:
        """Return the sequences of information sets, one set a row, and how likely each is.

        Rows are filled up with the last place, which belongs to no sequence.
        """
        own = self._own
        needed = len(own.moves) + 1
        if needed > len(self.regret):
            size = 1 << needed.bit_length()
            self.regret = np.pad(self.regret, (0, size - len(self.regret)))
            self.total = np.pad(self.total, (0, size - len(self.total)))
        count = own.count[sets][:, None]
        places = np.arange(int(count.max(initial=1)))
        is_legal = places < count
        sequences = np.where(is_legal, own.first[sets][:, None] + places, len(self.regret) - 1)
        positive = np.where(is_legal, np.maximum(self.regret[sequences], 0.0), 0.0)
        mass = positive.sum(axis=1, keepdims=True)
        even = np.where(is_legal, 1.0 / count, 0.0)
        return sequences, np.where(mass > 0, positive / np.where(mass > 0, mass, 1.0), even)

    def average(self) -> NDArray[np.float64]:
        """Return the average strategy, a probability for each sequence; any move where none."""
        own = self._own
        found = np.ones(len(own.moves))
        for first, count in zip(own.first.tolist(), own.count.tolist(), strict=True):
            mass = self.total[first : first + count]
            found[first : first + count] = mass / mass.sum() if mass.sum() else 1.0 / count
        return found
