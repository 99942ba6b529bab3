"""Moves and what they lead to, one and two steps on, in many lanes at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.game.expansion import KnownChildren, expand_known, expand_turns
from gdl_agents.search.game.random_moves import draw_outcomes, sample_moves
from gdl_agents.search.game.turns import let_move
from gdl_agents.search.players.task import BestMoves, SearchTask
from gdl_env.engine.batch.contract import BatchGame

# Children that are looked at together.
_BATCH = 50_000


def evaluate_in_parts(task: SearchTask, judge: Callable[[SearchTask], BestMoves]) -> BestMoves:
    """Evaluate a task part by part, so that not too many children are held at a time."""
    lanes, rows = [], []
    for first, part in split(task, _BATCH):
        choices = judge(part)
        lanes.append(choices.lane + first)
        rows.append(choices.row)
    return BestMoves(np.concatenate(lanes), np.concatenate(rows))


def any_of(won: NDArray[np.bool_], roles: list[int]) -> NDArray[np.bool_]:
    """Tell where one of some roles has won."""
    found: NDArray[np.bool_] = np.any(won[:, roles], axis=1)
    return found


class Moves:
    """The moves of a role in some lanes, and what they lead to."""

    def __init__(self, task: SearchTask) -> None:
        rules = task.rules
        self.task = task
        look = rules.look(task.states)
        acting = let_move(rules, look, task.role)
        self.children = expand_known(rules, task.states, look, acting)
        own = self.children.legal[:, task.role]
        place = task.owner[self.children.parent]
        # One group for each lane and each of its moves.
        groups, self.group = np.unique(
            place * (int(own.max(initial=0)) + 1) + own, return_inverse=True
        )
        self.lane, row = np.divmod(groups, int(own.max(initial=0)) + 1)
        self.row = row.astype(np.int32)
        self.look, self.won = self.children.look, find_winners(rules, self.children)
        # How likely a child is, if the others choose any of their moves.
        likely = task.weight[self.children.parent] * self.children.chance
        self.likely = likely / np.bincount(self.group, likely, len(groups))[self.group]

    def share(self, is_so: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return for each move how likely something about its children is."""
        return self.mean(is_so.astype(np.float64))

    def mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each move the mean of values of its children."""
        return np.bincount(self.group, self.likely * values, len(self.lane)).astype(np.float64)

    def are_certain(self, is_so: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell for each move whether something holds of all its children.

        Partners who move at the same time choose what makes it so.
        """
        partners = list(self.task.partners)
        if not partners:
            return self.share(is_so) >= 1 - 1e-9
        keys = np.column_stack([self.group, self.children.legal[:, partners]])
        joint, place = np.unique(keys, axis=0, return_inverse=True)
        holds = np.ones(len(joint), np.bool_)
        holds[place.reshape(-1)[~is_so]] = False
        found: NDArray[np.bool_] = np.bincount(joint[:, 0], holds, len(self.lane)) > 0
        return found

    def any(self, is_so: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell for each move whether something holds of one of its children."""
        found: NDArray[np.bool_] = np.bincount(self.group, is_so, len(self.lane)) > 0
        return found

    def choose(self, *ranks: NDArray[np.bool_]) -> BestMoves:
        """Return in each lane the moves of the first rank that has any; else all."""
        best = np.zeros(len(self.lane), np.bool_)
        settled = np.zeros(len(self.task.lanes), np.bool_)
        for rank in (*ranks, np.ones(len(self.lane), np.bool_)):
            chosen = rank & ~settled[self.lane]
            best |= chosen
            settled[self.lane[chosen]] = True
        return BestMoves(self.lane[best], self.row[best])


class Replies:
    """What can be done after moves, one step on."""

    def __init__(self, moves: Moves) -> None:
        rules = moves.task.rules
        last = np.full(len(moves.children), moves.task.role)
        chances = moves.task.turns.find_chances(rules, moves.look, last)
        self.children = expand_turns(rules, moves.children.states, moves.look, chances)
        self.won = find_winners(rules, self.children)
        self._moves = len(moves.children)

    def any(self, is_so: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell for each child of a move whether something holds of one of its own children."""
        found: NDArray[np.bool_] = np.bincount(self.children.parent, is_so, self._moves) > 0
        return found


def draw_replies(moves: Moves, chance: np.random.Generator) -> NDArray[np.bool_]:
    """Draw one step after each child; tell who has won by it: children by roles."""
    rules = moves.task.rules
    won = np.zeros((len(moves.children), len(rules.roles)), np.bool_)
    going = np.flatnonzero(~moves.look.terminal)
    states = moves.children.states[going]
    look = rules.look(states)
    last = np.full(len(going), moves.task.role)
    acting = moves.task.turns.find_acting(rules, look, last, chance)
    legal = sample_moves(rules, look, acting, chance)
    after = rules.step(states, draw_outcomes(rules, states, legal, chance))
    over = np.flatnonzero(rules.look(after).terminal)
    won[going[over]] = rules.winners(rules.goals(after[over]))
    return won


def find_winners(rules: BatchGame, children: KnownChildren) -> NDArray[np.bool_]:
    """Tell who has won in children: children by roles."""
    won = np.zeros((len(children), len(rules.roles)), np.bool_)
    over = children.look.terminal
    won[over] = rules.winners(children.goals[over])
    return won


def split(task: SearchTask, most: int) -> list[tuple[int, SearchTask]]:
    """Cut a task into parts with `most` children two moves on, or one lane; with first lanes."""
    look = task.rules.look(task.states)
    counts = look.counts()
    size = (np.maximum(counts, 1).prod(axis=1)) ** 2
    ends = np.searchsorted(task.owner, np.arange(len(task.lanes)), side='right')
    total = np.concatenate([[0], np.cumsum(size)])
    parts = []
    first = begin = 0
    while first < len(task.lanes):
        fits = np.searchsorted(total[ends], total[begin] + most, side='right')
        end = max(first + 1, int(fits))
        last = int(ends[end - 1])
        parts.append(
            (
                first,
                replace(
                    task,
                    lanes=task.lanes[first:end],
                    episode=task.episode[first:end],
                    states=task.states[begin:last],
                    owner=task.owner[begin:last] - first,
                    weight=task.weight[begin:last],
                ),
            )
        )
        first, begin = end, last
    return parts
