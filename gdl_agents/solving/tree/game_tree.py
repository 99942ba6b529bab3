"""The whole tree of a game, level by level on the batched engine, as sequences.

Simultaneous moves, chance, hidden information, any number of players: a node of the tree is a
history, and what is kept of it are the information sets of the players and how games end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from gdl_agents.solving.errors import SolvingError, TooLargeError
from gdl_agents.solving.tree.frontier import Frontier, HistoryRows
from gdl_agents.solving.tree.own_paths import Numbers, OwnPaths
from gdl_agents.solving.tree.sequence_form import SequenceForm, make_form
from gdl_agents.solving.tree.sight import TableSight, open_sight
from gdl_env.language.game import Game
from gdl_env.play.turn_names import FIRST, NAMED, ROTATE

# HistoryRows that advance together at most.
_PART = 1 << 16


@dataclass(frozen=True)
class TreeBudget:
    """What a tree may take."""

    nodes: int = 5_000_000
    seconds: float = 120.0
    # Goes by seconds.
    clock: Callable[[], float] = monotonic


@dataclass(frozen=True)
class GameTree:
    """A game, all of it."""

    sight: TableSight
    # Of each player, in the order of the rules.
    own: tuple[OwnPaths, ...]
    form: SequenceForm
    # HistoryRows, also those in which nobody decides; of these, those at which games end; levels.
    nodes: int
    ends: int
    depth: int
    # Whether the goals of all players add up to the same number at every end.
    is_constant_sum: bool

    @property
    def game(self) -> Game:
        """Return the game."""
        return self.sight.table.game

    @property
    def roles(self) -> tuple[str, ...]:
        """Return the players by name."""
        return tuple(str(self.sight.rules.roles[own.role]) for own in self.own)

    @property
    def information_sets(self) -> int:
        """Return the number of information sets of all players."""
        return len(self.form.first)

    def describe(self) -> str:
        """Return the sizes in words."""
        return (
            f'{self.nodes:,} histories, {self.information_sets:,} information sets,'
            f' {self.ends:,} ends'
        )


def build_tree(game: Game, budget: TreeBudget | None = None, turn: str = ROTATE) -> GameTree:
    """Build the tree of a game.

    Raises TooLargeError, with the sizes met so far, if the budget does not do; SolvingError for a
    turn rule that is no function of the past.
    """
    if turn not in NAMED or turn == FIRST:
        rules = ', '.join(name for name in NAMED if name != FIRST)
        raise SolvingError(f'turn rule {turn!r} cannot be solved; those that can: {rules}')
    return _Builder(open_sight(game, turn), budget or TreeBudget()).build()


class _Builder:
    def __init__(self, sight: TableSight, budget: TreeBudget) -> None:
        self._frontier = Frontier(sight)
        self._budget = budget
        self._until = budget.clock() + budget.seconds
        self._nodes = self._ends = self._depth = 0
        self._finals: list[tuple[Numbers, NDArray[np.float64], NDArray[np.float64]]] = []

    def build(self) -> GameTree:
        """Go through all histories."""
        level = self._frontier.begin()
        while len(level):
            self._depth += 1
            parts = [
                self._expand(level.select(slice(start, start + _PART)))
                for start in range(0, len(level), _PART)
            ]
            level = HistoryRows.join(parts)
            if self._frontier.can_merge:
                level = level.merge()
        frontier = self._frontier
        form, is_constant_sum = self._make_form()
        return GameTree(
            frontier.sight,
            frontier.own,
            form,
            self._nodes,
            self._ends,
            self._depth,
            is_constant_sum,
        )

    def _expand(self, histories: HistoryRows) -> HistoryRows:
        self._count(len(histories), 0)
        frontier = self._frontier
        turn, is_over = frontier.find_turns(histories)
        self._end(histories.select(is_over))
        self._count(0, float(turn.count_branches().sum()))
        return frontier.branch(turn)[0]

    def _end(self, over: HistoryRows) -> None:
        if len(over):
            self._ends += len(over)
            sequences = [
                own.sequence_of[over.paths[:, player]]
                for player, own in enumerate(self._frontier.own)
            ]
            self._finals.append(
                (np.stack(sequences, axis=1), over.chance, self._frontier.goals(over))
            )

    def _count(self, nodes: int, coming: float) -> None:
        """Count histories; those that are coming must fit into the budget, too."""
        self._nodes += nodes
        budget = self._budget
        is_late = budget.clock() > self._until
        if self._nodes + coming <= budget.nodes and not is_late:
            return
        sets = sum(map(len, self._frontier.own))
        limit = f'{budget.seconds:g} seconds' if is_late else f'{budget.nodes:,} nodes'
        game = self._frontier.rules.game.name
        raise TooLargeError(
            f'{game} is larger than {limit}: {self._nodes + int(coming):,} histories and'
            f' {sets:,} information sets up to level {self._depth}'
        )

    def _make_form(self) -> tuple[SequenceForm, bool]:
        """Give sets and sequences of all players their numbers; join ends that are alike."""
        ends = np.concatenate([part[0] for part in self._finals])
        chance = np.concatenate([part[1] for part in self._finals])
        goals = np.concatenate([part[2] for part in self._finals])
        is_constant_sum = bool(np.ptp(goals.sum(axis=1)) == 0)
        return make_form(self._frontier.own, ends, chance, goals), is_constant_sum
