"""Exact values of open games: every state that can be reached, from the last one back.

For games in which everything is open and one player decides at a time: a single player, or two
whose goals add up to 100. Chance may act. A state that is reached in several ways counts once.

Each state is given bounds, the least and the most that the first player can be kept from or sure
of; where they meet, the value is exact. They do not meet where players can go on for ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.game.expansion import Children, expand
from gdl_agents.solving.errors import NoValuesError, TooLargeError
from gdl_agents.solving.tree.frontier import NO_RESULT
from gdl_agents.solving.tree.game_tree import TreeBudget
from gdl_agents.solving.tree.row_index import RowIndex
from gdl_env.engine.batch.contract import BatchGame, States
from gdl_env.engine.dead_ends import check_rows
from gdl_env.language.game import Information

# States that are expanded together at most.
_PART = 1 << 16
# Bounds that are closer than this have met; sweeps over all states at most.
_CLOSE = 1e-9
_MOST_SWEEPS = 10_000


@dataclass(frozen=True)
class OpenValues:
    """The states of an open game, and what they are worth."""

    # States by words, in the order in which they were met; the first is the initial one.
    states: States
    # The goal that the first player reaches if all play as well as they can: bounds of it.
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    # Which player decides in each state, by its place; -1: none.
    decider: NDArray[np.int8]
    depth: int

    @property
    def is_exact(self) -> bool:
        """Tell whether the value of the initial state is known."""
        return bool(self.high[0] - self.low[0] < _CLOSE)

    def find_exact(self) -> NDArray[np.float64]:
        """Return the exact values of all states, nan where bounds do not meet."""
        return np.where(self.high - self.low < _CLOSE, self.low, np.nan)

    @property
    def unknown(self) -> int:
        """Return how many states have no exact value."""
        return int(np.count_nonzero(np.isnan(self.find_exact())))


def solve_open(rules: BatchGame, budget: TreeBudget) -> OpenValues:
    """Find the values of all states. Raises NoValuesError if it is no such game, TooLargeError."""
    check_open(rules)
    return _Sweeper(rules, budget).run()


def check_open(rules: BatchGame) -> None:
    """Raise NoValuesError unless everything is open, for one player or two."""
    game = rules.game
    if game.information is not Information.COMPLETE:
        raise NoValuesError(f'{game.name} hides something: it has no value in each state')
    if len(rules.players) > 2:
        raise NoValuesError(
            f'{game.name} has {len(rules.players)} players: values of states are defined for one,'
            ' and for two against each other'
        )


@dataclass
class _Level:
    """The children of some states, `first` and those that follow."""

    first: int
    # Where the moves of each state begin, and one more.
    starts: NDArray[np.int64]
    # The states that moves lead to; where chance decides, several for a move: where those of
    # each move begin, and how likely each is.
    child: NDArray[np.int32]
    groups: NDArray[np.int64] | None = None
    chance: NDArray[np.float64] | None = None


class _Sweeper:
    def __init__(self, rules: BatchGame, budget: TreeBudget) -> None:
        self._rules = rules
        self._budget = budget
        self._until = monotonic() + budget.seconds
        self._index = RowIndex(rules.initial.shape[1])
        self._levels: list[_Level] = []
        self._decider: list[NDArray[np.int8]] = []
        self._goals: list[NDArray[np.float64]] = []
        self._depth = 0
        self._has_chance = rules.nature >= 0 or rules.has_experiments

    def run(self) -> OpenValues:
        """Find all states, then sweep back until nothing changes."""
        self._index.add(self._rules.initial)
        done = 0
        while done < len(self._index):
            end = len(self._index)
            self._depth += 1
            for start in range(done, end, _PART):
                self._expand(start, min(start + _PART, end))
            done = end
        decider = np.concatenate(self._decider)
        goals = np.concatenate(self._goals)
        low, high = np.where(goals < 0, 0.0, goals), np.where(goals < 0, 100.0, goals)
        for _ in range(_MOST_SWEEPS):
            change = max(self._sweep(low, decider), self._sweep(high, decider))
            if change < _CLOSE:
                break
        states = self._index.rows[: len(self._index)]
        return OpenValues(states, low, high, decider, self._depth)

    def _expand(self, start: int, end: int) -> None:
        """Find the children of states, and the goals of those that are final."""
        rules, budget = self._rules, self._budget
        count, is_late = len(self._index), monotonic() > self._until
        if count > budget.nodes or is_late:
            limit = f'{budget.seconds:g} seconds' if is_late else f'{budget.nodes:,} nodes'
            raise TooLargeError(
                f'{rules.game.name} is larger than {limit}: {count:,} different states up to'
                f' level {self._depth}'
            )
        states = self._index.rows[start:end].copy()
        look = rules.look(states)
        acting = (look.counts() > 0) & ~look.terminal[:, None]
        choices = acting[:, list(rules.players)] & (look.counts()[:, list(rules.players)] > 1)
        if (choices.sum(axis=1) > 1).any():
            raise NoValuesError(
                f'players of {rules.game.name} decide at the same time: such a game has no value'
                ' in each state'
            )
        self._decider.append(
            np.where(choices.any(axis=1), choices.argmax(axis=1), -1).astype('i1')
        )
        is_over = acting.sum(axis=1) == 0
        check_rows(rules, states, is_over & ~look.terminal)
        self._goals.append(self._find_goals(states, is_over))
        children = expand(rules, states, look, acting)
        numbers = self._index.add(children.states).astype(np.int32)
        if self._has_chance:
            self._levels.append(_group_moves(rules, start, children, self._decider[-1], numbers))
            return
        starts = np.searchsorted(children.parent, np.arange(len(states) + 1))
        self._levels.append(_Level(start, starts, numbers))

    def _find_goals(self, states: States, is_over: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the first player's goals in final states, -1 elsewhere."""
        rules = self._rules
        found = np.full(len(states), -1.0)
        goals = rules.goals(states[is_over])[:, list(rules.players)].astype(np.float64)
        goals[goals < 0] = NO_RESULT
        if len(rules.players) == 2 and (goals.sum(axis=1) != 100).any():
            raise NoValuesError(
                f'the goals of {rules.game.name} do not always add up to 100: what is good for'
                ' one player need not be bad for the other'
            )
        found[is_over] = goals[:, 0]
        return found

    def _sweep(self, value: NDArray[np.float64], decider: NDArray[np.int8]) -> float:
        """Work out values from those of children, the last states first; return the change."""
        most = 0.0
        for level in reversed(self._levels):
            inner = np.flatnonzero(np.diff(level.starts))
            if not len(inner):
                continue
            starts, states = level.starts[inner], level.first + inner
            after = value[level.child]
            if level.groups is not None and level.chance is not None:
                after = np.add.reduceat(after * level.chance, level.groups)
            new = np.maximum.reduceat(after, starts)
            new = np.where(decider[states] == 1, np.minimum.reduceat(after, starts), new)
            most = max(most, float(np.abs(new - value[states]).max()))
            value[states] = new
        return most


def _group_moves(
    rules: BatchGame,
    first: int,
    children: Children,
    decider: NDArray[np.int8],
    numbers: NDArray[np.int32],
) -> _Level:
    """Join what chance makes of each move of the player who decides."""
    parent = children.parent
    who = np.array(rules.players)[decider[parent]]
    move = np.where(decider[parent] < 0, -1, children.legal[np.arange(len(parent)), who])
    order = np.lexsort((move, parent))
    parent, move = parent[order], move[order]
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = (parent[1:] != parent[:-1]) | (move[1:] != move[:-1])
    groups = np.flatnonzero(is_new)
    starts = np.searchsorted(parent[groups], np.arange(len(decider) + 1))
    return _Level(first, starts, numbers[order], groups, children.chance[order])
