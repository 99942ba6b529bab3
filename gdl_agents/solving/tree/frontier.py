"""HistoryRows of a game that are followed side by side, with what every role knows in each.

Many histories advance together, on the batched engine. The rules of play are those of a match:
whose turn it is, that forced moves and chance play themselves, what is shown at which tick.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.game.expansion import expand
from gdl_agents.search.game.turn_kernels import NOBODY
from gdl_agents.search.game.turns import follow_last
from gdl_agents.solving.tree.own_paths import START, Numbers, OwnPaths
from gdl_agents.solving.tree.sight import TableSight, group_rows
from gdl_env.engine.batch.contract import BatchGame, Look, Rows, States
from gdl_env.engine.dead_ends import check_rows

# What a goal is worth that the rules do not give: as much as a draw.
NO_RESULT = 50


@dataclass(frozen=True)
class HistoryRows:
    """HistoryRows, one a row."""

    states: States
    # What was perceived since the last decisions (GDL-II).
    percepts: States
    # The role that moved last, in a serial game.
    last: Numbers
    # How likely chance makes the history.
    chance: NDArray[np.float64]
    # What each player has seen and done: histories by players.
    paths: Numbers

    def __len__(self) -> int:
        return len(self.states)

    def select(self, rows: NDArray[np.integer] | NDArray[np.bool_] | slice) -> HistoryRows:
        """Return some of the histories."""
        return HistoryRows(
            self.states[rows],
            self.percepts[rows],
            self.last[rows],
            self.chance[rows],
            self.paths[rows],
        )

    @classmethod
    def join(cls, parts: Sequence[HistoryRows]) -> HistoryRows:
        """Put parts together, one after the other; there must be one at least."""
        each = ((p.states, p.percepts, p.last, p.chance, p.paths) for p in parts)
        return cls(*(np.concatenate(column) for column in zip(*each, strict=True)))

    def merge(self) -> HistoryRows:
        """Return histories with those joined that are alike in everything but their chance."""
        return self.join_alike()[0]

    def join_alike(self) -> tuple[HistoryRows, Numbers]:
        """Return what `merge` does, and the place of a history that each was before."""
        parts = (self.states, self.percepts, self.last[:, None], self.paths)
        first, which = group_rows(np.concatenate([p.astype(np.int64) for p in parts], axis=1))
        if len(first) == len(self):
            return self, np.arange(len(self))
        chance = np.bincount(which, self.chance, len(first)).astype(np.float64)
        joined = self.select(first)
        rows = HistoryRows(joined.states, joined.percepts, joined.last, chance, joined.paths)
        return rows, first


@dataclass(frozen=True)
class Turn:
    """What happens next in some histories: who acts, and who has a choice."""

    histories: HistoryRows
    # Where each was among those before; how likely it is that these roles act there.
    origin: Numbers
    likely: NDArray[np.float64]
    look: Look
    # HistoryRows by roles.
    acting: NDArray[np.bool_]
    decides: NDArray[np.bool_]

    def count_branches(self) -> NDArray[np.float64]:
        """Return how many moves, or combinations of moves, there are in each history."""
        counts = np.where(self.acting, self.look.counts(), 1)
        sizes: NDArray[np.float64] = counts.prod(axis=1, dtype=np.float64)
        return sizes

    def select(self, rows: Numbers) -> Turn:
        """Return some of the entries."""
        look = self.look
        return Turn(
            self.histories.select(rows),
            self.origin[rows],
            self.likely[rows],
            Look(look.terminal[rows], look.starts[rows], look.rows),
            self.acting[rows],
            self.decides[rows],
        )


class Frontier:
    """Follows histories of a game."""

    def __init__(self, sight: TableSight) -> None:
        self.sight = sight
        self.rules: BatchGame = sight.rules
        self.turns = sight.table.turns
        self.players = self.rules.players
        self.own = tuple(OwnPaths(sight, role) for role in self.players)
        has_nature = self.rules.nature >= 0 or self.rules.has_experiments
        # Without chance no two histories are alike: roles know what they did.
        self.can_merge = has_nature or (self.rules.is_serial and self.turns.is_drawn)

    def begin(self, count: int = 1) -> HistoryRows:
        """Return histories in which nothing has happened."""
        rules = self.rules
        return HistoryRows(
            np.repeat(rules.initial, count, axis=0),
            np.zeros((count, rules.percept_words), np.uint64),
            np.full(count, NOBODY),
            np.ones(count),
            np.full((count, len(self.players)), START),
        )

    def find_turns(self, histories: HistoryRows) -> tuple[Turn, NDArray[np.bool_]]:
        """Return what happens next, and which histories are over.

        Where the role that moves is drawn, there is an entry for each that may. Raises
        DeadEndError for a history that is not over, and in which no role has a move.
        """
        rules = self.rules
        look = rules.look(histories.states)
        chances = self.turns.find_chances(rules, look, histories.last)
        is_over: NDArray[np.bool_] = (chances > 0).sum(axis=1) == 0
        check_rows(rules, histories.states, is_over & ~look.terminal)
        if rules.is_serial:
            parent, role = np.nonzero(chances > 0)
            acting = np.zeros((len(parent), chances.shape[1]), np.bool_)
            acting[np.arange(len(parent)), role] = True
            likely = chances[parent, role]
        else:
            parent = np.flatnonzero(~is_over)
            acting = chances[parent] > 0
            likely = np.ones(len(parent))
        part = Look(look.terminal[parent], look.starts[parent], look.rows)
        decides = acting & (part.counts() > 1)
        if rules.nature >= 0:
            decides[:, rules.nature] = False
        followed = histories.select(parent)
        followed.chance[:] *= likely
        self._show(followed, part, decides)
        return Turn(followed, parent, likely, part, acting, decides), is_over

    def branch(self, turn: Turn) -> tuple[HistoryRows, Numbers]:
        """Return the histories after all moves and draws, and the entry of the turn of each."""
        rules = self.rules
        children = expand(rules, turn.histories.states, turn.look, turn.acting)
        after = self.advance(turn, children.parent, children.legal, children.does, children.states)
        after.chance[:] *= children.chance
        possible = np.flatnonzero(after.chance > 0)
        return after.select(possible), children.parent[possible]

    def advance(
        self, turn: Turn, parent: Numbers, legal: Rows, does: Rows, states: States
    ) -> HistoryRows:
        """Return the histories after moves: `parent` is the entry of the turn of each."""
        before = turn.histories
        paths = before.paths[parent]
        for player, role in enumerate(self.players):
            chose = np.flatnonzero(turn.decides[parent, role])
            paths[chose, player] = self.own[player].follow_moves(
                paths[chose, player], legal[chose, role]
            )
        percepts = before.percepts[parent]
        if percepts.shape[1]:
            percepts = self._forget(percepts, turn, parent)
            percepts |= self.rules.percepts(before.states[parent], does)
        last = follow_last(self.rules, before.last[parent], legal)
        return HistoryRows(states, percepts, last, before.chance[parent], paths)

    def goals(self, histories: HistoryRows) -> NDArray[np.float64]:
        """Return the goals of players where histories are over: histories by players."""
        goals = self.rules.goals(histories.states)[:, list(self.players)]
        return np.where(goals < 0, NO_RESULT, goals).astype(np.float64)

    # ---- inside

    def _show(self, histories: HistoryRows, look: Look, decides: NDArray[np.bool_]) -> None:
        """Show all players what they see at a tick: where any of them has a choice."""
        tick = np.flatnonzero(decides.any(axis=1))
        if not len(tick):
            return
        states, percepts = histories.states[tick], histories.percepts[tick]
        for player, role in enumerate(self.players):
            own = self.own[player]
            views, which = self.sight.look_at(role, states, percepts)
            legal = own.number_legal(
                look.starts[tick, role],
                np.where(
                    decides[tick, role], look.starts[tick, role + 1], look.starts[tick, role]
                ),
                look.rows,
            )
            histories.paths[tick, player] = own.follow_views(
                histories.paths[tick, player],
                decides[tick, role],
                own.number_views(views)[which],
                legal,
            )

    def _forget(self, percepts: States, turn: Turn, parent: Numbers) -> States:
        """Forget what those have perceived who act at a tick."""
        is_tick = turn.decides[parent].any(axis=1)
        for role in self.players:
            bits = np.array(list(self.rules.percepts_of(role).values()), np.int64)
            mask = np.zeros(percepts.shape[1], np.uint64)
            np.bitwise_or.at(mask, bits >> 6, np.uint64(1) << (bits & 63).astype(np.uint64))
            acts = is_tick & turn.acting[parent, role]
            percepts[acts] &= ~mask
        return percepts
