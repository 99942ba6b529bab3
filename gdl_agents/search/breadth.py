"""Minimax level by level, many states at a time: any engine, any game, any evaluation.

One player gets the most, all others together give it the least, and chance counts as its mean.
Nothing is left out, so depth is dear; in exchange whole levels are one question to the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.expansion import Children, expand, find_acting
from gdl_agents.search.rules import Rows, Rules, States

# From (rules, states, role) to what the states are worth to the role: 0 (lost) to 100 (won).
Evaluation: TypeAlias = Callable[[Rules, States, int], NDArray[np.float64]]

# States of a level at most.
_WIDEST = 400_000


def evaluate_neutrally(rules: Rules, states: States, role: int) -> NDArray[np.float64]:
    """Tell wins and losses only: what is not over is worth as much as a draw."""
    return np.full(len(states), 50.0)


@dataclass(frozen=True)
class _Level:
    """The states of a depth, and the children of those that go on."""

    states: States
    terminal: NDArray[np.bool_]
    values: NDArray[np.float64]
    last: NDArray[np.int64]
    children: Children | None = None


def search_breadth(
    rules: Rules,
    states: States,
    role: int,
    depth: int,
    evaluation: Evaluation = evaluate_neutrally,
    deadline: float = float('inf'),
    clock: Callable[[], float] = monotonic,
) -> tuple[NDArray[np.int64], Rows, NDArray[np.float64], int]:
    """Return the value of each move of a role in states, and the depth that was reached.

    Three columns: the state, the row of the move, its value. The depth is smaller than wanted
    where levels would get too large, or the time was up.
    """
    mover = np.full(len(states), role)
    levels = [_look(rules, states, role, evaluation, np.full(len(states), role), mover)]
    while len(levels) <= depth and clock() < deadline:
        children = levels[-1].children
        if children is None or not len(children) or len(children) > _WIDEST:
            break
        last = _last(rules, children, levels[-1].last)
        levels.append(_look(rules, children.states, role, evaluation, last, None))
    values = levels[-1].values
    for level in reversed(levels[1:-1]):
        values = _back_up(rules, level, values, role)
    first = levels[0].children
    if first is None or len(levels) == 1:
        return np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0), 0
    parent, own, found = _own_values(rules, first, values, role)
    return parent, own, found, len(levels) - 1


def _look(
    rules: Rules,
    states: States,
    role: int,
    evaluation: Evaluation,
    last: NDArray[np.int64],
    mover: NDArray[np.int64] | None,
) -> _Level:
    look = rules.look(states)
    values = np.full(len(states), 50.0)
    over = np.flatnonzero(look.terminal)
    goals = rules.goals(states[over])[:, role].astype(np.float64)
    values[over] = np.where(goals < 0, 50.0, goals)
    going = np.flatnonzero(~look.terminal)
    values[going] = evaluation(rules, states[going], role)
    acting = find_acting(rules, look, mover, last)
    sizes = np.where(acting, look.counts(), 1).prod(axis=1)
    children = None
    if sizes[acting.any(axis=1)].sum() <= _WIDEST:
        children = expand(rules, states, look, acting)
    return _Level(states, look.terminal, values, last, children)


def _last(rules: Rules, children: Children, before: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the player who acted last, for each child."""
    last: NDArray[np.int64] = before[children.parent].copy()
    for player in reversed(rules.players):
        last[children.legal[:, player] >= 0] = player
    return last


def _back_up(
    rules: Rules, level: _Level, values: NDArray[np.float64], role: int
) -> NDArray[np.float64]:
    """Return the values of states from those of their children."""
    result: NDArray[np.float64] = level.values.copy()
    if level.children is not None and len(level.children):
        parent, _, best = _own_values(rules, level.children, values, role)
        result[np.unique(parent)] = -np.inf
        np.maximum.at(result, parent, best)
    return result


def _own_values(
    rules: Rules, children: Children, values: NDArray[np.float64], role: int
) -> tuple[NDArray[np.int64], Rows, NDArray[np.float64]]:
    """Return states, own moves and their values: the least that others leave of them."""
    own = children.legal[:, role]
    others = [player for player in rules.players if player != role]
    columns = np.empty((len(children), 2 + len(others)), np.int64)
    columns[:, 0], columns[:, 1] = children.parent, own
    columns[:, 2:] = children.legal[:, others]
    keys, group = np.unique(columns, axis=0, return_inverse=True)
    group = group.reshape(-1)
    weight = np.bincount(group, children.chance, len(keys))
    mean = np.bincount(group, children.chance * values, len(keys)) / weight
    firsts = np.flatnonzero(
        np.concatenate([[True], (np.diff(keys[:, :2], axis=0) != 0).any(axis=1)])
    )
    least = np.minimum.reduceat(mean, firsts)
    return keys[firsts, 0], keys[firsts, 1].astype(np.int32), least
