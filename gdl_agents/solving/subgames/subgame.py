"""A part of a game that grows where play may lead: its histories, and the game in sequence form.

It begins with roots (see `Roots`). A history that has not been continued is an end: it counts as
what it is thought to be worth. Where a player was promised something, it chooses at the root
between that and playing on: then the others cannot profit from what it has already given up
(re-solving with a gadget: Burch, Johanson, Bowling 2014).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_agents.solving.exploiting.exploitability import Strategy
from gdl_agents.solving.subgames.leaf_values import LeafValues
from gdl_agents.solving.subgames.roots import Roots
from gdl_agents.solving.tree.frontier import Frontier, HistoryRows
from gdl_agents.solving.tree.own_paths import EMPTY, Numbers, PathStart
from gdl_agents.solving.tree.sequence_form import SequenceForm, make_form
from gdl_agents.solving.tree.sight import TableSight

# Sums of goals that differ by less are equal.
_EQUAL = 1e-6


class Subgame:
    """Histories of a sub-game: the roots have the first numbers."""

    def __init__(self, sight: TableSight, roots: Roots, leaves: LeafValues) -> None:
        self.frontier = Frontier(sight)
        self.own = self.frontier.own
        self._leaves = leaves
        self._roots = roots
        paths = self._plant(roots)
        rows = roots.histories
        rows = HistoryRows(rows.states, rows.percepts, rows.last, rows.chance, paths)
        # Of each history: the one before it, the last sequence of each player, how likely chance
        # makes it after the one before, and from the roots on.
        self._parent = np.full(len(rows), -1)
        self._sequence = self._find_sequences(rows)
        self._step = np.ones(len(rows))
        self._chance = rows.chance.copy()
        # Whether it has been continued; what it is worth to the players, if not.
        self._is_end = np.ones(len(rows), np.bool_)
        self._value, _ = leaves.evaluate(self.frontier, rows)
        self._depth = np.zeros(len(rows), np.int64)
        # Histories that can be continued, and their numbers.
        self._rows, self._open = rows, np.arange(len(rows))
        # Numbers of histories that were continued together, the first and one more than the last;
        # and what was shown then: histories, paths.
        self._parts: list[tuple[int, int]] = []
        self._shown: list[tuple[Numbers, Numbers]] = []
        self._exits = self._list_exits(rows)

    def __len__(self) -> int:
        return len(self._parent)

    # ---- growing

    def grow(self, which: Numbers) -> None:
        """Continue some histories, by their places among those that can be continued."""
        rows, ids = self._rows.select(which), self._open[which]
        turn, is_over = self.frontier.find_turns(rows)
        self._value[ids[is_over]] = self.frontier.goals(rows.select(is_over))
        self._is_end[ids[~is_over]] = False
        stays = np.ones(len(self._open), np.bool_)
        stays[which] = False
        kept_rows, kept = self._rows.select(stays), self._open[stays]
        after, entry = self.frontier.branch(turn)
        parent = ids[turn.origin[entry]]
        values, is_final = self._leaves.evaluate(self.frontier, after)
        numbers = np.arange(len(self), len(self) + len(after))
        self._parts.append((len(self), len(self) + len(after)))
        self._shown.append((ids[turn.origin], turn.histories.paths))
        self._append(parent, after, values)
        self._rows = HistoryRows.join([kept_rows, after.select(~is_final)])
        self._open = np.concatenate([kept, numbers[~is_final]])

    @property
    def size(self) -> int:
        """Return how many histories can be continued."""
        return len(self._open)

    def list_open(self, form: SequenceForm, plan: Strategy, depth: int) -> Numbers:
        """Return the places of histories that can be continued, those reached most often first.

        `plan` is how likely players make each sequence; `depth` how many steps there are after the
        roots at most, 0 for any number.
        """
        reach = self._chance[self._open].copy()
        for player in range(len(self.own)):
            starts = form.sequence_start[player]
            reach *= plan[starts + self._sequence[self._open, player]]
        order = np.argsort(-reach, kind='stable')
        return order[self._depth[self._open[order]] < depth] if depth else order

    def form(self) -> SequenceForm:
        """Return the game as it is now, in sequence form."""
        ends = np.flatnonzero(self._is_end)
        parts = [(self._sequence[ends], self._chance[ends], self._value[ends]), *self._exits]
        joined = [np.concatenate(column) for column in zip(*parts, strict=True)]
        return make_form(self.own, *joined)

    # ---- reading

    @property
    def is_constant_sum(self) -> bool:
        """Tell whether the goals of all players always added up to the same so far."""
        return bool(np.ptp(self._value.sum(axis=1)) < _EQUAL)

    def decisions_of_roots(self, player: int) -> list[int]:
        """Return the information sets in which a player decides at the roots."""
        own, (_, paths) = self.own[player], self._shown[0]
        found = own.sets_at(np.unique(paths[:, player]))
        decisions: list[int] = found[found >= 0].tolist()
        return decisions

    def find_worth(self, form: SequenceForm, strategy: Strategy) -> NDArray[np.float64]:
        """Return what each history is worth to the players if all follow a strategy."""
        value = np.where(self._is_end[:, None], self._value, 0.0)
        for first, end in reversed(self._parts):
            parent = self._parent[first:end]
            likely = self._step[first:end].copy()
            for player in range(len(self.own)):
                sequence = self._sequence[first:end, player]
                moved = sequence != self._sequence[parent, player]
                chosen = strategy[form.sequence_start[player] + sequence]
                likely *= np.where(moved, chosen, 1.0)
            np.add.at(value, parent, likely[:, None] * value[first:end])
        return value

    def find_promises(
        self, player: int, form: SequenceForm, strategy: Strategy, plan: Strategy
    ) -> dict[bytes, float]:
        """Return what a player gets wherever it has been shown something, by what it knows there.

        Histories count as likely as chance and the others make them.
        """
        worth = self.find_worth(form, strategy)[:, player]
        ids = np.concatenate([part[0] for part in self._shown])
        paths = np.concatenate([part[1][:, player] for part in self._shown])
        weight = self._chance[ids].copy()
        for other in range(len(self.own)):
            if other != player:
                weight *= plan[form.sequence_start[other] + self._sequence[ids, other]]
        known, which = np.unique(paths, return_inverse=True)
        mass = np.bincount(which, weight, len(known))
        total = np.bincount(which, weight * worth[ids], len(known))
        digests = self.own[player].digests
        return {
            digests[path]: float(total[i] / mass[i])
            for i, path in enumerate(known.tolist())
            if mass[i] > 0
        }

    # ---- inside

    def _plant(self, roots: Roots) -> Numbers:
        """Return the path of each player in each root."""
        planted = []
        for player, own in enumerate(self.own):
            starts = [
                PathStart(start.digest, start.view, not np.isnan(promise))
                for start, promise in zip(
                    roots.starts[player], roots.promised[player], strict=True
                )
            ]
            planted.append(own.plant(starts)[roots.known[:, player]])
        return np.stack(planted, axis=1)

    def _list_exits(
        self, rows: HistoryRows
    ) -> list[tuple[Numbers, NDArray[np.float64], NDArray[np.float64]]]:
        """Return what follows where a player prefers what it was promised: see `make_form`."""
        found = []
        total = self._value.sum(axis=1)
        for player in range(len(self.own)):
            promised = self._roots.promised[player][self._roots.known[:, player]]
            asked = np.flatnonzero(~np.isnan(promised))
            if not len(asked):
                continue
            sequences = np.full((len(asked), len(self.own)), EMPTY)
            # The sequence before the one that takes part.
            sequences[:, player] = self._sequence[asked, player] - 1
            others = (total[asked] - promised[asked]) / max(1, len(self.own) - 1)
            values = np.repeat(others[:, None], len(self.own), axis=1)
            values[:, player] = promised[asked]
            found.append((sequences, rows.chance[asked], values))
        return found

    def _find_sequences(self, rows: HistoryRows) -> Numbers:
        columns = [own.sequence_of[rows.paths[:, i]] for i, own in enumerate(self.own)]
        return np.stack(columns, axis=1)

    def _append(self, parent: Numbers, after: HistoryRows, values: NDArray[np.float64]) -> None:
        sequences = self._find_sequences(after)
        step = after.chance / np.where(self._chance[parent] > 0, self._chance[parent], 1.0)
        self._parent = np.concatenate([self._parent, parent])
        self._sequence = np.concatenate([self._sequence, sequences])
        self._step = np.concatenate([self._step, step])
        self._chance = np.concatenate([self._chance, after.chance])
        self._depth = np.concatenate([self._depth, self._depth[parent] + 1])
        self._is_end = np.concatenate([self._is_end, np.ones(len(after), np.bool_)])
        self._value = np.concatenate([self._value, values])
