"""What a player knows in a game that hides something: the states it may be in, and how likely.

Others are taken to play any of their moves. All states are kept while they are few; beyond that a
sample of them, each with its weight, which can be drawn again at any time.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.game.expansion import expand
from gdl_agents.search.game.match_table import MatchTable
from gdl_agents.search.game.random_moves import draw_outcomes, sample_moves
from gdl_agents.search.game.turn_kernels import NOBODY
from gdl_agents.search.game.turns import follow_last, let_move
from gdl_env.engine.batch.contract import NO_MOVE, BatchGame, Look, States
from gdl_env.play.turn_order import TurnRule

# Steps in a row without a decision of anybody; decisions in a row of which nothing is shown, and
# how likely more of them must be to be thought of.
_MOST_QUIET = 1_000
_MOST_UNSEEN = 64
_LEAST = 1e-9


@dataclass(frozen=True)
class Glance:
    """What a player is shown at one tick of a match, in one lane."""

    # What it sees, as packed bits of an observation.
    observation: NDArray[np.uint8]
    # Whether it has a decision to make.
    is_asked: bool
    # The legal moves it is shown then, as packed bits of actions.
    legal: NDArray[np.uint8] | None = None


@dataclass(frozen=True)
class Known:
    """States that a player may be in."""

    states: States
    # What was perceived since the player's last decision (GDL-II).
    percepts: States
    # How likely each is; they add up to 1.
    weight: NDArray[np.float64]
    # The role that moved last, in a serial game; NOBODY, or UNKNOWN.
    last: NDArray[np.int64]
    # Whether these are all states that are possible.
    is_complete: bool = True

    def __len__(self) -> int:
        return len(self.states)


@dataclass
class ViewLog:
    """What a player was shown since the game began, and what it played."""

    # At each tick what was shown, and the row of the move that was played then (NO_MOVE: none).
    glances: list[Glance] = field(default_factory=list)
    played: list[int] = field(default_factory=list)


class Knowledge:
    """The states that agree with all that one role was shown."""

    def __init__(
        self, table: MatchTable, role: int, most: int = 20_000, particles: int = 2_000
    ) -> None:
        """Keep `most` states at most; beyond that, a sample of `particles`."""
        self._table = table
        self._rules: BatchGame = table.rules
        self._role = role
        self._most = most
        self._particles = particles

    def begin(self, first: Glance, chance: np.random.Generator) -> Known:
        """Return what is known at the first tick of a game."""
        rules = self._rules
        states = rules.initial
        percepts = np.zeros((1, rules.percept_words), np.uint64)
        start = Known(states, percepts, np.ones(1), np.full(1, NOBODY))
        known = self._settle(start, chance)
        shown = self.agrees(known, first)
        if shown.any():
            return _scaled(_select(known, shown))
        # Others may have moved before anything was shown.
        public = Glance(self._table.observe(self._role, states, percepts)[0], False)
        return self.advance(start, public, NO_MOVE, first, chance)

    def advance(
        self,
        known: Known,
        before: Glance,
        played: int,
        glance: Glance,
        chance: np.random.Generator,
    ) -> Known:
        """Return what is known when the next glance comes; `played` is the move, or NO_MOVE.

        How often others moved in between is not known: as long as nothing changes for the player,
        and nothing is asked, it is shown nothing.
        """
        found = []
        was_asked = before.is_asked
        unseen = Glance(before.observation, False)
        for _ in range(_MOST_UNSEEN):
            known = self._settle(self._step(known, was_asked, played, chance), chance)
            shown = self.agrees(known, glance)
            found.append(_select(known, shown))
            # What would have been shown is not looked at any further.
            known = _select(known, ~shown & self.agrees(known, unseen))
            was_asked, played = False, NO_MOVE
            if not len(known) or known.weight.sum() < _LEAST:
                break
        return _scaled(self._merge(found))

    def consistent_states(
        self, log: ViewLog, chance: np.random.Generator, particles: int = 0
    ) -> Known:
        """Return the states that agree with a whole log of views; drawn again if they are many.

        An empty answer says that no state agrees, or that none was found among the
        particles.
        """
        kept = self._particles
        self._particles = particles or kept
        try:
            known = self.begin(log.glances[0], chance)
            for tick in range(1, len(log.glances)):
                known = self.advance(
                    known,
                    log.glances[tick - 1],
                    log.played[tick - 1],
                    log.glances[tick],
                    chance,
                )
        finally:
            self._particles = kept
        return known

    # ---- inside

    def _step(
        self, known: Known, was_asked: bool, played: int, chance: np.random.Generator
    ) -> Known:
        """Take the step of one decision."""
        rules = self._rules
        if not len(known):
            return known
        look = rules.look(known.states)
        parts = []
        for acting, share in self._find_acting(known, look, was_asked):
            limited = self._restrict(look, acting, was_asked, played)
            # A role that acts begins to collect percepts again.
            parts.append(self._spread(known, limited, acting, share, chance, forgets=True))
        return self._merge(parts)

    def _find_acting(
        self, known: Known, look: Look, was_asked: bool
    ) -> list[tuple[NDArray[np.bool_], NDArray[np.float64]]]:
        """Return which roles may act, and how likely that is: one entry for joint moves.

        Where one role moves at a time, it is the player if it was asked, unless another may have
        answered first; else any other, or the player if it has one move only: then it is not
        asked.
        """
        rules, role = self._rules, self._role
        turns = self._table.turns
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
        role = self._role
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
        rules = self._rules
        counts = np.where(acting, look.counts(), 1)
        sizes = counts.prod(axis=1) * np.any(acting, axis=1) * (share > 0)
        weight = known.weight * share
        if sizes.sum() <= self._most:
            chosen = np.flatnonzero(sizes > 0)
            part = _part(look, chosen)
            children = expand(rules, known.states[chosen], part, acting[chosen])
            parent = chosen[children.parent]
            others = sizes[parent] / np.maximum(
                counts[parent, rules.nature] if rules.nature >= 0 else 1, 1
            )
            likely = weight[parent] * children.chance / others
            does, states, legal = children.does, children.states, children.legal
            is_complete = known.is_complete
        else:
            open_ = np.flatnonzero(sizes > 0)
            parent = open_[_draw(weight[open_], self._particles, chance)]
            part = _part(look, parent)
            legal = sample_moves(rules, part, acting[parent], chance)
            does = draw_outcomes(rules, known.states[parent], legal, chance)
            states = rules.step(known.states[parent], does)
            likely = np.full(len(parent), weight[open_].sum() / len(parent))
            is_complete = False
        percepts = known.percepts[parent]
        if rules.percept_words:
            if forgets:
                percepts = np.where(acting[parent, self._role][:, None], np.uint64(0), percepts)
            perceived = rules.percepts(known.states[parent], does)
            percepts = percepts | (perceived & self._own_percepts())
        last = known.last[parent]
        if rules.is_serial:
            last = follow_last(rules, last, legal)
        return Known(states, percepts, likely, last, is_complete)

    def _own_percepts(self) -> States:
        """Return a mask of the percepts of the player: those of others make no difference."""
        mask = np.zeros(self._rules.percept_words, np.uint64)
        for bit in self._rules.percepts_of(self._role).values():
            mask[bit >> 6] |= np.uint64(1 << (bit & 63))
        return mask

    def _merge(self, parts: list[Known]) -> Known:
        """Put parts together; equal states become one, with the sum of their weights."""
        states = np.concatenate([part.states for part in parts])
        percepts = np.concatenate([part.percepts for part in parts])
        weight = np.concatenate([part.weight for part in parts])
        last = np.concatenate([part.last for part in parts])
        is_complete = all(part.is_complete for part in parts)
        if not len(states):
            return Known(states, percepts, weight, last, is_complete)
        moved = last.astype(np.uint64)[:, None]
        both = np.ascontiguousarray(np.concatenate([states, percepts, moved], axis=1))
        keys = both.view([('', both.dtype)] * both.shape[1]).ravel()
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        sums = np.bincount(inverse.reshape(-1), weight, len(first)).astype(np.float64)
        return Known(states[first], percepts[first], sums, last[first], is_complete)

    def _settle(self, known: Known, chance: np.random.Generator) -> Known:
        """Continue where no role has a decision to make: forced moves, and chance."""
        rules = self._rules
        settled: list[Known] = []
        for _ in range(_MOST_QUIET):
            if not len(known):
                break
            look = rules.look(known.states)
            quiet = self.is_quiet(look, known.last)
            # Games that are over have begun again: this one has not.
            waits = ~quiet & ~look.terminal
            settled.append(_select(known, waits))
            known = _select(known, quiet)
            if not len(known):
                break
            part = _part(look, np.flatnonzero(quiet))
            known = self._merge(
                [
                    self._spread(known, part, acting, share, chance)
                    for acting, share in self._find_acting(known, part, was_asked=False)
                ]
            )
        return self._merge([*settled, known])

    def is_quiet(self, look: Look, last: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell where no role has a decision, though the game continues.

        Where one role moves at a time, that is so if the role whose turn it is has one move.
        """
        rules = self._rules
        counts = look.counts()
        may_act = self._table.turns.find_chances(rules, look, last) > 0
        decides = np.any((may_act & (counts > 1))[:, rules.players], axis=1)
        quiet: NDArray[np.bool_] = ~look.terminal & ~decides & np.any(counts > 0, axis=1)
        return quiet

    def agrees(self, known: Known, glance: Glance) -> NDArray[np.bool_]:
        """Tell which states agree with what is shown."""
        if not len(known):
            return np.zeros(0, np.bool_)
        agrees = self._table.shows(self._role, known.states, known.percepts, glance.observation)
        look = self._rules.look(known.states)
        chances = self._table.turns.find_chances(self._rules, look, known.last)[:, self._role]
        has_choice = look.counts()[:, self._role] > 1
        if glance.is_asked:
            agrees &= has_choice & (chances > 0)
            if glance.legal is not None:
                agrees &= self._has_legal(look, glance.legal)
        else:
            # It would be asked if it were certain to move; by `first`, all that may move are.
            is_first = self._table.turns.rule is TurnRule.FIRST
            agrees &= ~has_choice | (chances < (1e-9 if is_first else 1))
        return agrees

    def _has_legal(self, look: Look, legal: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Tell in which states the player has exactly the legal moves that it is shown."""
        role, count = self._role, len(look.terminal)
        shown = np.unpackbits(legal, bitorder='little').astype(np.bool_)
        sizes = look.counts()[:, role]
        owner = np.repeat(np.arange(count), sizes)
        first = look.starts[:, role]
        places = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes - first, sizes)
        actions = self._table.actions_of(look.rows[places])
        good = np.bincount(owner, shown[actions], count)
        same: NDArray[np.bool_] = (good == sizes) & (sizes == shown.sum())
        return same


def _part(look: Look, chosen: NDArray[np.intp] | NDArray[np.int64]) -> Look:
    """Return the look at some of the states; they share the list of rows."""
    return Look(look.terminal[chosen], look.starts[chosen], look.rows)


def _select(known: Known, which: NDArray[np.bool_]) -> Known:
    return Known(
        known.states[which],
        known.percepts[which],
        known.weight[which],
        known.last[which],
        known.is_complete,
    )


def _scaled(known: Known) -> Known:
    """Make the weights add up to 1; nothing is left of what is impossible."""
    total = known.weight.sum()
    if total <= 0:
        return _select(known, np.zeros(len(known), np.bool_))
    return replace(known, weight=known.weight / total)


def _draw(
    weight: NDArray[np.float64], count: int, chance: np.random.Generator
) -> NDArray[np.intp]:
    """Draw indices by weight, evenly spread."""
    sums = np.cumsum(weight)
    marks = (np.arange(count) + chance.random(count)) / count * sums[-1]
    drawn: NDArray[np.intp] = np.minimum(np.searchsorted(sums, marks), len(weight) - 1)
    return drawn
