"""Minimax level by level, many states at a time: any engine, any game, any evaluation.

One player gets the most, all others together give it the least, and chance counts as its mean;
so does a turn that is drawn. Nothing is left out, so depth is dear; in exchange whole levels are
one question to the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.game.expansion import Children, KnownChildren, expand_turns
from gdl_agents.search.game.turns import ROTATION, TurnOrder, follow_last, let_move
from gdl_env.engine.batch.contract import BatchGame, Look, Rows, States

# From (rules, states, role) to what the states are worth to the role: 0 (lost) to 100 (won).
Evaluation: TypeAlias = Callable[[BatchGame, States, int], NDArray[np.float64]]

# States of a level at most.
_WIDEST = 400_000


def evaluate_neutrally(rules: BatchGame, states: States, role: int) -> NDArray[np.float64]:
    """Tell wins and losses only: what is not over is worth as much as a draw."""
    return np.full(len(states), 50.0)


@dataclass(frozen=True)
class BreadthSearch:
    """What is searched, for whom, and for how long."""

    rules: BatchGame
    role: int
    turns: TurnOrder = ROTATION
    partners: tuple[int, ...] = ()
    evaluation: Evaluation = evaluate_neutrally
    # In the time of `clock`.
    deadline: float = float('inf')
    clock: Callable[[], float] = monotonic

    def run(self, states: States, depth: int) -> RootValues:
        """Return the value of each move of the role in states, in which it is to move."""
        last = np.full(len(states), self.role)
        look = self.rules.look(states)
        goals = np.full((len(states), len(self.rules.roles)), -1, np.int16)
        over = np.flatnonzero(look.terminal)
        goals[over] = self.rules.goals(states[over])
        levels = [self._make_level(states, look, goals, last, is_root=True)]
        while len(levels) <= depth and self.clock() < self.deadline:
            children = levels[-1].children
            if children is None or not len(children) or len(children) > _WIDEST:
                break
            last = follow_last(self.rules, levels[-1].last[children.parent], children.legal)
            levels.append(self._make_level(children.states, children.look, children.goals, last))
        values = levels[-1].values
        for level in reversed(levels[1:-1]):
            values = self._back_up(level, values)
        first = levels[0].children
        if first is None or len(levels) == 1:
            return RootValues(np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0), 0)
        found = self._own_values(first, values)
        return RootValues(found.parent, found.row, found.value, len(levels) - 1)

    def _make_level(
        self,
        states: States,
        look: Look,
        goals: NDArray[np.int16],
        last: NDArray[np.int64],
        *,
        is_root: bool = False,
    ) -> _Level:
        rules = self.rules
        values = np.full(len(states), 50.0)
        over = np.flatnonzero(look.terminal)
        own = goals[over, self.role].astype(np.float64)
        values[over] = np.where(own < 0, 50.0, own)
        going = np.flatnonzero(~look.terminal)
        values[going] = self.evaluation(rules, states[going], self.role)
        if is_root:
            chances = let_move(rules, look, self.role).astype(np.float64)
        else:
            chances = self.turns.find_chances(rules, look, last)
        acts = chances > 0
        counts = look.counts()
        if rules.is_serial:
            size = (counts * acts).sum()
        else:
            size = np.where(acts, counts, 1).prod(axis=1)[np.any(acts, axis=1)].sum()
        children = None
        if size <= _WIDEST:
            children = expand_turns(rules, states, look, chances)
        return _Level(values, last, children)

    def _back_up(self, level: _Level, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values of states from those of their children."""
        result: NDArray[np.float64] = level.values.copy()
        if level.children is None or not len(level.children):
            return result
        own = self._own_values(level.children, values)
        # The best move of each role that may be the one to move, and then the mean over these.
        turn = np.flatnonzero(_begins(np.column_stack([own.parent, own.mover])))
        best = np.maximum.reduceat(own.value, turn)
        parent, weight = own.parent[turn], own.weight[turn]
        total = np.bincount(parent, weight, len(result))
        mean = np.bincount(parent, weight * best, len(result))
        several = np.bincount(parent, minlength=len(result)) > 1
        result[parent] = best
        result[several] = mean[several] / total[several]
        return result

    def _own_values(self, children: Children, values: NDArray[np.float64]) -> _OwnValues:
        """Return own moves and their values: the least that opponents leave of them.

        Partners who move at the same time choose what is best.
        """
        rules, role, partners = self.rules, self.role, self.partners
        team = 3 + len(partners)
        opponents = [each for each in rules.players if each not in (role, *partners)]
        columns = np.zeros((len(children), team + len(opponents)), np.int64)
        columns[:, 0], columns[:, 2] = children.parent, children.legal[:, role]
        if rules.is_serial:
            columns[:, 1] = np.argmax(children.legal >= 0, axis=1)
        columns[:, 3:] = children.legal[:, [*partners, *opponents]]
        keys, group = np.unique(columns, axis=0, return_inverse=True)
        group = group.reshape(-1)
        weight = np.bincount(group, children.chance, len(keys)).astype(np.float64)
        mean = np.bincount(group, children.chance * values, len(keys)) / weight
        joint = np.flatnonzero(_begins(keys[:, :team]))
        least = np.minimum.reduceat(mean, joint)
        firsts = np.flatnonzero(_begins(keys[joint, :3]))
        best = np.maximum.reduceat(least, firsts)
        parent, mover, row = keys[joint[firsts], :3].T
        return _OwnValues(parent, mover, row.astype(np.int32), best, weight[joint[firsts]])


@dataclass(frozen=True)
class RootValues:
    """The value of each move of a role in some states."""

    # For each move: the state, the row of the move, its value.
    state: NDArray[np.int64]
    row: Rows
    value: NDArray[np.float64]
    # Smaller than wanted where levels would get too large, or the time was up.
    depth: int


@dataclass(frozen=True)
class _Level:
    """The states of a depth, and the children of those that are not final."""

    values: NDArray[np.float64]
    last: NDArray[np.int64]
    children: KnownChildren | None = None


@dataclass(frozen=True)
class _OwnValues:
    """Moves of a role, or -1 where others move, sorted by state and role to move."""

    parent: NDArray[np.int64]
    # The role that moves, in a serial game.
    mover: NDArray[np.int64]
    row: Rows
    value: NDArray[np.float64]
    # How likely it is that this role moves.
    weight: NDArray[np.float64]


def _begins(keys: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell where rows of keys, which are sorted, differ from the row before."""
    changes = (np.diff(keys, axis=0) != 0).any(axis=1)
    begins: NDArray[np.bool_] = np.concatenate([[True], changes])
    return begins
