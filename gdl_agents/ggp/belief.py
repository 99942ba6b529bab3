"""The states that agree with all that a player has perceived, step by step (GDL-II).

Every step of a GGP match is announced: a player knows how many there were, what it did in each,
and its percepts. So states are followed one step at a time, as in other matches (see
`search/belief`): all of them while they are few, beyond that a sample.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.belief.knowledge import Knowledge
from gdl_agents.search.belief.known import Known, draw_by_weight
from gdl_agents.search.game.match_table import MatchTable
from gdl_env.engine.contract import Move
from gdl_env.language.terms import Term

# Children that are computed at once, and states that are kept.
_MOST_CHILDREN, _MOST_STATES = 100_000, 5_000
# Rounds of drawing, where all children would be too many.
_ROUNDS = 40


class Belief:
    """States that one role may be in."""

    def __init__(self, table: MatchTable, role: int, seed: int) -> None:
        self._rules = table.rules
        self._role = role
        self._chance = np.random.default_rng(seed)
        knowledge = Knowledge(table, role, _MOST_CHILDREN, _MOST_STATES)
        self._ways = knowledge.steps
        self.known: Known = knowledge.start()

    def follow(self, own: Move, percepts: Iterable[Term]) -> None:
        """Play a step in all states: those remain that could show these percepts.

        There are none left where an announcement contradicts the rules.
        """
        row = self._rules.legal_row(self._role, own)
        wanted = self._to_row(percepts)
        before = replace(self.known, percepts=np.zeros_like(self.known.percepts))
        parts = [self.known.pick(np.zeros(len(self.known), np.bool_))]
        for _ in range(_ROUNDS if row >= 0 else 0):
            after = self._ways.step(before, was_asked=True, played=row, chance=self._chance)
            parts.append(after.pick(self._shows(after, wanted)))
            if after.is_complete or sum(map(len, parts)) >= _MOST_STATES:
                break
        found = self._ways.merge(parts).scale()
        if len(found) > _MOST_STATES:
            drawn = draw_by_weight(found.weight, _MOST_STATES, self._chance)
            even = np.full(len(drawn), 1 / len(drawn))
            found = replace(found.pick(drawn), weight=even, is_complete=False).merge_equal()
        self.known = found

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves: the same in all states, if the rules are sound.

        () if no state is left.
        """
        if not len(self.known):
            return ()
        rows = self._rules.look(self.known.states[:1]).moves(0, self._role)
        return tuple(self._rules.legal_move(int(row))[1] for row in rows)

    def is_decision(self) -> bool:
        """Tell whether a player, this one or another, has more than one move now."""
        counts = self._rules.look(self.known.states[:1]).counts()
        return bool((counts[:, list(self._rules.players)] > 1).any())

    # ---- inside

    def _shows(self, known: Known, wanted: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Tell in which states the role perceives exactly what it perceived."""
        # Some engines learn of percepts as they meet them.
        width = known.percepts.shape[1] if len(known) else len(wanted)
        same: NDArray[np.bool_] = (known.percepts == _widen(wanted, width)).all(axis=1)
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
