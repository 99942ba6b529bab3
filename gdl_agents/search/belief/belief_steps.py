"""Where states that a player may be in can lead: steps, forced moves and chance, and views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.belief.known import Glance, Known, draw_by_weight
from gdl_agents.search.belief.move_model import MoveModel, rate_moves
from gdl_agents.search.belief.trail import Trail
from gdl_agents.search.game.expansion import expand
from gdl_agents.search.game.match_table import MatchTable
from gdl_agents.search.game.random_moves import draw_outcomes, sample_moves
from gdl_agents.search.game.turns import follow_last, let_move
from gdl_env.engine.batch.contract import NO_MOVE, BatchGame, Look, Rows, States
from gdl_env.play.turn_order import TurnRule

# Steps in a row without a decision of anybody.
_MOST_QUIET = 1_000
# States that a guide is asked to continue from at least.
_LEAST_GUIDED = 8


@dataclass(frozen=True)
class _Branches:
    """Steps from states: the state before each, the moves, the state after, and how likely."""

    parent: NDArray[np.intp]
    legal: Rows
    does: Rows
    states: States
    likely: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.parent)

    def pick(self, which: NDArray[np.intp]) -> _Branches:
        """Return some of the steps."""
        return _Branches(*(getattr(self, each.name)[which] for each in fields(self)))


# Which steps (the states before, what is done, the states after) can lead where one wants to go.
Guide: TypeAlias = Callable[[Known, Rows, States], NDArray[np.bool_]]


class BeliefSteps:
    """Steps of states that one role may be in."""

    def __init__(
        self,
        table: MatchTable,
        role: int,
        most: int = 20_000,
        particles: int = 2_000,
        model: MoveModel | None = None,
    ) -> None:
        """Keep `most` states at most; beyond that, a sample of `particles`.

        `model` says how likely the moves of others are; without it, all are equally likely.
        """
        self.table = table
        self.rules: BatchGame = table.rules
        self.role = role
        self.particles = particles
        # Where it is set, steps are noted, and equal states stay apart.
        self.trail: Trail | None = None
        # Where it is set, draws of chance follow it as far as they can.
        self.guide: Guide | None = None
        self._most = most
        self.model = model

    def step(
        self, known: Known, was_asked: bool, played: int, chance: np.random.Generator
    ) -> Known:
        """Take the step of one decision."""
        if not len(known):
            return known
        look = self.rules.look(known.states)
        parts = []
        for acting, share in self._find_acting(known, look, was_asked):
            limited = self._restrict(look, acting, was_asked, played)
            # A role that acts begins to collect percepts again.
            parts.append(self._spread(known, limited, acting, share, chance, forgets=True))
        return self.merge(parts)

    def settle(self, known: Known, chance: np.random.Generator) -> Known:
        """Continue where no role has a decision to make: forced moves, and chance."""
        settled: list[Known] = []
        for _ in range(_MOST_QUIET):
            if not len(known):
                break
            look = self.rules.look(known.states)
            quiet = self.is_quiet(look, known.last)
            # Games that are over have begun again: this one has not.
            settled.append(known.pick(~quiet & ~look.terminal))
            known = known.pick(quiet)
            if not len(known):
                break
            part = look_at_part(look, np.flatnonzero(quiet))
            known = self.merge(
                [
                    self._spread(known, part, acting, share, chance)
                    for acting, share in self._find_acting(known, part, was_asked=False)
                ]
            )
        return self.merge([*settled, known])

    def merge(self, parts: list[Known]) -> Known:
        """Put parts together; equal states become one, unless it matters how they were reached."""
        known = Known.join(parts)
        return known if self.trail is not None else known.merge_equal()

    # ---- views

    def is_quiet(self, look: Look, last: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell where no role has a decision, though the game continues.

        Where one role moves at a time, that is so if the role whose turn it is has one move.
        """
        rules = self.rules
        counts = look.counts()
        may_act = self.table.turns.find_chances(rules, look, last) > 0
        decides = np.any((may_act & (counts > 1))[:, rules.players], axis=1)
        quiet: NDArray[np.bool_] = ~look.terminal & ~decides & np.any(counts > 0, axis=1)
        return quiet

    def agrees(self, known: Known, glance: Glance) -> NDArray[np.bool_]:
        """Tell which states agree with what is shown."""
        if not len(known):
            return np.zeros(0, np.bool_)
        agrees = self.table.shows(self.role, known.states, known.percepts, glance.observation)
        look = self.rules.look(known.states)
        chances = self.table.turns.find_chances(self.rules, look, known.last)[:, self.role]
        has_choice = look.counts()[:, self.role] > 1
        if glance.is_asked:
            agrees &= has_choice & (chances > 0)
            if glance.legal is not None:
                agrees &= self._has_legal(look, glance.legal)
        else:
            # It would be asked if it were certain to move; by `first`, all that may move are.
            is_first = self.table.turns.rule is TurnRule.FIRST
            agrees &= ~has_choice | (chances < (1e-9 if is_first else 1))
        return agrees

    def observe(self, known: Known) -> NDArray[np.uint8]:
        """Return what is shown in states, as packed rows of an observation."""
        return self.table.observe(self.role, known.states, known.percepts)

    def perceive(
        self, before: States, does: Rows, percepts: States, forgets: NDArray[np.bool_]
    ) -> States:
        """Return what was perceived after a step; the player forgets where it has decided."""
        if not self.rules.percept_words:
            return percepts
        kept = np.where(forgets[:, None], np.uint64(0), percepts)
        seen: States = kept | (self.rules.percepts(before, does) & self._own_percepts())
        return seen

    # ---- inside

    def _find_acting(
        self, known: Known, look: Look, was_asked: bool
    ) -> list[tuple[NDArray[np.bool_], NDArray[np.float64]]]:
        """Return which roles may act, and how likely that is: one entry for joint moves.

        Where one role moves at a time, it is the player if it was asked, unless another may have
        answered first; else any other, or the player if it has one move only: then it is not
        asked.
        """
        rules, role = self.rules, self.role
        turns = self.table.turns
        chances = turns.find_chances(rules, look, known.last)
        if not rules.is_serial:
            return [(chances > 0, np.ones(len(known)))]
        if was_asked and turns.rule is not TurnRule.FIRST:
            share = chances[:, role]
            return [(let_move(rules, look, role), share if share.any() else np.ones(len(known)))]
        if not was_asked:
            chances[look.counts()[:, role] > 1, role] = 0
        total = np.maximum(chances.sum(axis=1), 1e-300)
        roles = np.flatnonzero(chances.any(axis=0)).tolist() or [role]
        return [(let_move(rules, look, other), chances[:, other] / total) for other in roles]

    def _restrict(
        self, look: Look, acting: NDArray[np.bool_], was_asked: bool, played: int
    ) -> Look:
        """Leave the player the move that it played, where it is legal."""
        role = self.role
        if not was_asked or played == NO_MOVE:
            return look
        mine = np.zeros(len(look.rows) + 1, np.int64)
        np.add.at(mine, look.starts[acting[:, role], role], 1)
        np.add.at(mine, look.starts[acting[:, role], role + 1], -1)
        # States in which the move is not legal are left without one, and so without children.
        keep = (np.cumsum(mine)[:-1] == 0) | (look.rows == played)
        sums = np.concatenate([[0], np.cumsum(keep)])
        return Look(look.terminal, sums[look.starts], look.rows[keep])

    def _spread(
        self,
        known: Known,
        look: Look,
        acting: NDArray[np.bool_],
        share: NDArray[np.float64],
        chance: np.random.Generator,
        *,
        forgets: bool = False,
    ) -> Known:
        """Return all that a step can lead to; a sample of it where that is too much."""
        rules = self.rules
        counts = np.where(acting, look.counts(), 1).astype(np.float64)
        sizes = counts.prod(axis=1) * np.any(acting, axis=1) * (share > 0)
        weight = known.weight * share * (sizes > 0)
        chosen = np.flatnonzero(weight > 0)
        is_guided = self.guide is not None and bool(acting[:, rules.nature].any())
        if sizes[chosen].sum() <= self._most:
            branches = self._branch_all(known, look, acting, chosen, weight)
        elif is_guided:
            count = max(_LEAST_GUIDED, int(self._most / sizes.max()))
            drawn = chosen[draw_by_weight(weight[chosen], count, chance)]
            even = np.full(len(known), weight.sum() / count)
            branches = self._branch_all(known, look, acting, drawn, even)
        else:
            branches = self._branch_some(known, look, acting, chosen, weight, chance)
        if is_guided and self.guide is not None:
            can_lead = self.guide(known.pick(branches.parent), branches.does, branches.states)
            branches = branches.pick(np.flatnonzero(can_lead))
            if len(branches) > self.particles:
                kept = draw_by_weight(branches.likely, self.particles, chance)
                even = np.full(len(kept), branches.likely.sum() / len(kept))
                branches = replace(branches.pick(kept), likely=even)
        is_complete = known.is_complete and len(chosen) == (sizes > 0).sum() and not is_guided
        is_complete = is_complete and sizes[chosen].sum() <= self._most
        return self._arrive(known, branches, acting, is_complete=is_complete, forgets=forgets)

    def _branch_all(
        self,
        known: Known,
        look: Look,
        acting: NDArray[np.bool_],
        chosen: NDArray[np.intp],
        weight: NDArray[np.float64],
    ) -> _Branches:
        """Return all steps from some of the states."""
        rules = self.rules
        part = look_at_part(look, chosen)
        children = expand(rules, known.states[chosen], part, acting[chosen])
        parent = chosen[children.parent]
        likely = weight[parent] * children.chance
        likely *= self._rate_players(known.states[parent], look, parent, children.legal)
        return _Branches(parent, children.legal, children.does, children.states, likely)

    def _branch_some(
        self,
        known: Known,
        look: Look,
        acting: NDArray[np.bool_],
        chosen: NDArray[np.intp],
        weight: NDArray[np.float64],
        chance: np.random.Generator,
    ) -> _Branches:
        """Return steps that are drawn."""
        rules = self.rules
        parent = chosen[draw_by_weight(weight[chosen], self.particles, chance)]
        part = look_at_part(look, parent)
        legal = sample_moves(rules, part, acting[parent], chance)
        before = known.states[parent]
        does = draw_outcomes(rules, before, legal, chance)
        likely = np.full(len(parent), weight[chosen].sum() / len(parent))
        if self.model is not None:
            # All moves were equally likely to be drawn.
            counts = np.where(legal >= 0, part.counts(), 1)[:, rules.players]
            likely *= counts.prod(axis=1) * self._rate_players(before, look, parent, legal)
        return _Branches(parent, legal, does, rules.step(before, does), likely)

    def _arrive(
        self,
        known: Known,
        branches: _Branches,
        acting: NDArray[np.bool_],
        *,
        is_complete: bool,
        forgets: bool,
    ) -> Known:
        """Return the states after steps."""
        parent, legal, does = branches.parent, branches.legal, branches.does
        forgetting = acting[parent, self.role] & forgets
        before, percepts = known.states[parent], known.percepts[parent]
        percepts = self.perceive(before, does, percepts, forgetting)
        last = known.last[parent]
        if self.rules.is_serial:
            last = follow_last(self.rules, last, legal)
        node = known.node[:0]
        if self.trail is not None:
            node = self.trail.add(known.node[parent], legal, does)
        return Known(branches.states, percepts, branches.likely, last, is_complete, node)

    def _rate_players(
        self, before: States, look: Look, parent: NDArray[np.intp], legal: Rows
    ) -> NDArray[np.float64]:
        """Return how likely the moves of other players are."""
        moves = legal.copy()
        if self.rules.nature >= 0:
            moves[:, self.rules.nature] = NO_MOVE
        part = look_at_part(look, parent)
        return rate_moves(self.rules, self.model, before, part, moves, self.role)

    def _own_percepts(self) -> States:
        """Return a mask of the percepts of the player: those of others make no difference."""
        mask = np.zeros(self.rules.percept_words, np.uint64)
        for bit in self.rules.percepts_of(self.role).values():
            mask[bit >> 6] |= np.uint64(1 << (bit & 63))
        return mask

    def _has_legal(self, look: Look, legal: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Tell in which states the player has exactly the legal moves that it is shown."""
        role, count = self.role, len(look.terminal)
        shown = np.unpackbits(legal, bitorder='little').astype(np.bool_)
        sizes = look.counts()[:, role]
        owner = np.repeat(np.arange(count), sizes)
        first = look.starts[:, role]
        places = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes - first, sizes)
        actions = self.table.actions_of(look.rows[places])
        good = np.bincount(owner, shown[actions], count)
        same: NDArray[np.bool_] = (good == sizes) & (sizes == shown.sum())
        return same


def look_at_part(look: Look, chosen: NDArray[np.intp] | NDArray[np.int64]) -> Look:
    """Return the look at some of the states; they share the list of rows."""
    return Look(look.terminal[chosen], look.starts[chosen], look.rows)
