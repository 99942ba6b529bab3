"""The states that agree with all that a player has perceived, step by step (GDL-II).

Every step of a GGP match is announced: a player knows how many there were, what it did in each,
and its percepts. So states are followed one step at a time: all of them while they are few, beyond
that a sample.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.game.expansion import expand
from gdl_agents.search.game.random_moves import draw_outcomes, sample_moves
from gdl_env.engine.batch.contract import BatchGame, Look, Rows, States
from gdl_env.engine.contract import Move
from gdl_env.language.terms import Term

# Children that are computed at once, and states that are kept.
_MOST_CHILDREN, _MOST_STATES = 100_000, 5_000
# Rounds of drawing, where all children would be too many.
_ROUNDS = 40


class Belief:
    """States that one role may be in."""

    def __init__(self, rules: BatchGame, role: int, seed: int) -> None:
        self._rules = rules
        self._role = role
        self._chance = np.random.default_rng(seed)
        self.states: States = rules.initial

    def follow(self, own: Move, percepts: Iterable[Term]) -> None:
        """Play a step in all states: those remain that could show these percepts.

        There are none left where an announcement contradicts the rules.
        """
        look = self._rules.look(self.states)
        running = np.flatnonzero(~look.terminal)
        states = self.states[running]
        look = Look(look.terminal[running], look.starts[running], look.rows)
        row = self._rules.legal_row(self._role, own)
        wanted = self._to_row(percepts)
        counts = np.maximum(look.counts(), 1)
        if int(counts.prod(axis=1).sum()) <= _MOST_CHILDREN:
            found = self._follow_all(states, look, row, wanted)
        else:
            found = self._draw(states, row, wanted)
        found = np.unique(found, axis=0) if len(found) else found
        if len(found) > _MOST_STATES:
            found = found[self._chance.choice(len(found), _MOST_STATES, replace=False)]
        self.states = found

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves: the same in all states, if the rules are sound.

        () if no state is left.
        """
        if not len(self.states):
            return ()
        rows = self._rules.look(self.states[:1]).moves(0, self._role)
        return tuple(self._rules.legal_move(int(row))[1] for row in rows)

    def is_decision(self) -> bool:
        """Tell whether a player, this one or another, has more than one move now."""
        counts = self._rules.look(self.states[:1]).counts()
        return bool((counts[:, list(self._rules.players)] > 1).any())

    # ---- inside

    def _follow_all(
        self, states: States, look: Look, row: int, wanted: NDArray[np.uint64]
    ) -> States:
        children = expand(self._rules, states, look, look.counts() > 0)
        is_own = children.legal[:, self._role] == row
        before, does = states[children.parent[is_own]], children.does[is_own]
        found: States = children.states[is_own][self._shows(before, does, wanted)]
        return found

    def _draw(self, states: States, row: int, wanted: NDArray[np.uint64]) -> States:
        found: list[States] = []
        for _ in range(_ROUNDS):
            picked = states[self._chance.integers(len(states), size=_MOST_STATES)]
            look = self._rules.look(picked)
            legal = sample_moves(self._rules, look, look.counts() > 0, self._chance)
            legal[:, self._role] = row
            does = draw_outcomes(self._rules, picked, legal, self._chance)
            after = self._rules.step(picked, does)
            found.append(after[self._shows(picked, does, wanted)])
            if sum(map(len, found)) >= _MOST_STATES:
                break
        return np.concatenate(found)

    def _shows(self, before: States, does: Rows, wanted: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Tell in which steps the role perceives exactly what it perceived."""
        own = self._to_row(self._rules.percepts_of(self._role))
        perceived = self._rules.percepts(before, does)
        # Some engines learn of percepts as they meet them.
        width = perceived.shape[1] if len(perceived) else len(own)
        own, wanted = _widen(own, width), _widen(wanted, width)
        same: NDArray[np.bool_] = ((perceived & own) == wanted).all(axis=1)
        return same

    def _to_row(self, percepts: Iterable[Term]) -> NDArray[np.uint64]:
        places = self._rules.percepts_of(self._role)
        row = np.zeros(max(self._rules.percept_words, 1), np.uint64)
        for percept in percepts:
            if (place := places.get(percept)) is not None:
                row[place >> 6] |= np.uint64(1 << (place & 63))
        return row


def _widen(row: NDArray[np.uint64], width: int) -> NDArray[np.uint64]:
    return np.concatenate([row, np.zeros(max(0, width - len(row)), np.uint64)])[:width]
