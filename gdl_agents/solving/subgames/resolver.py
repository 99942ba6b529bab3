"""Searches decision after decision, each search standing on the one before it.

What is found depends only on what a role has seen and done, so lanes that have gone the same way
share it, and the role follows one strategy through the match.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from gdl_agents.solving.subgames.public_belief import PublicBelief, PublicState
from gdl_agents.solving.subgames.roots import Roots
from gdl_agents.solving.subgames.search import (
    Behaviour,
    SearchLimits,
    SolvedSubgame,
    search_subgame,
)
from gdl_agents.solving.tree.sight import TableSight

# Searches that are kept, and different things that players may have seen and done: beyond that
# all is forgotten.
_KEPT, _MOST_PATHS = 256, 2_000_000
# Histories that are followed for each one that a search begins with, and the share of the nodes
# of a search that its roots and their first steps take.
_FOLLOWED = 32
_ROOT_SHARE = 0.25
# Shares of the time of a move: for a step of all histories; for a search from the beginning of the
# game, where that was not made before. Histories that are made whatever time is left.
_STEP_SHARE, _OPENING = 0.25, 0.5
_LEAST_ROOM = 256
# Histories that a machine follows in a second at first; then it is measured.
_USUAL_RATE = 50_000.0


@dataclass(frozen=True)
class _Stage:
    """A search that was made, as far as later ones need it."""

    # The histories it is about; None if they are not known.
    state: PublicState
    # What all players do in it.
    behaviours: tuple[Behaviour, ...]
    # What each player gets by that, by what it knows.
    promises: tuple[dict[bytes, float], ...]
    # The decisions at its roots: player, digest.
    decisions: AbstractSet[tuple[int, bytes]]


class Resolver:
    """Searches for all roles of a match."""

    def __init__(self, sight: TableSight, limits: SearchLimits, states: int, seed: int) -> None:
        """Begin each search with `states` histories at most."""
        self._sight = sight
        self._limits = limits
        self._states = states
        self._seed = seed
        self._players = len(sight.rules.players)
        self._rate = _USUAL_RATE
        self._stages: OrderedDict[tuple[int, bytes], _Stage] = OrderedDict()
        # The search from the beginning of the game, once it was made.
        self._opening: _Stage | None = None
        self._belief = PublicBelief(sight, _FOLLOWED * states)
        self._begun = self._belief.begin()

    @property
    def is_possible(self) -> bool:
        """Tell whether histories can be followed from the beginning of the game."""
        return self._begun is not None

    def prepare(self, end: float) -> None:
        """Search from the beginning of the game, before anyone is asked."""
        if self._begun is not None:
            self._opening = self._open(end)

    def find_policy(
        self, player: int, trail: AbstractSet[bytes], questions: Sequence[bytes], end: float
    ) -> NDArray[np.float64] | None:
        """Return how likely each move is, in the order of numbers; None if nothing is known.

        - trail: the digests of all that the player has seen and done
        - questions: those of its decisions; what is asked for is the last one
        """
        if self._belief.paths > _MOST_PATHS:
            self._forget()
        if self._begun is None:
            return None
        now = self._limits.clock()
        if self._opening is None:
            self._opening = self._open(now + _OPENING * (end - now))
        stage: _Stage | None = self._opening
        for number, question in enumerate(questions):
            is_last = number == len(questions) - 1
            stage = self._advance(stage, player, trail, question, end if is_last else None)
            if stage is None:
                return None
        return stage.behaviours[player].get(questions[-1]) if stage is not None else None

    # ---- inside

    def _forget(self) -> None:
        self._belief = PublicBelief(self._sight, _FOLLOWED * self._states)
        self._begun = self._belief.begin()
        self._opening = None
        self._stages.clear()

    def _open(self, end: float) -> _Stage:
        """Search from the beginning of the game."""
        assert self._begun is not None
        key = self._key(b'opening')
        room = self._states, self._find_room(end, self._most_first)
        roots = self._belief.make_roots(self._begun, None, b'', room, (), key)
        return self._search(self._begun, roots, key, end)

    def _advance(
        self,
        before: _Stage | None,
        player: int,
        trail: AbstractSet[bytes],
        question: bytes,
        end: float | None,
    ) -> _Stage | None:
        """Return the search at a decision; without an end, it is only followed."""
        assert before is not None and self._opening is not None
        known = self._stages.get((player, question))
        if known is not None:
            self._stages.move_to_end((player, question))
            return known
        has_moved = before is not self._opening
        if not has_moved and (player, question) in before.decisions:
            # The search from the beginning is about this decision. What follows is another one.
            stage = _Stage(before.state, before.behaviours, before.promises, frozenset())
            return self._keep(player, question, stage)
        key = self._key(question)
        if end is not None:
            self._belief.most = self._find_room(end, _FOLLOWED * self._states)
        state = self._belief.advance(
            before.state, player, trail, question, before.behaviours, key, has_moved=has_moved
        )
        if state is None:
            return None
        if end is None:
            return _Stage(state, before.behaviours, before.promises, frozenset())
        room = self._states, self._find_room(end, self._most_first)
        promises = tuple(
            {} if other == player else held for other, held in enumerate(before.promises)
        )
        roots = self._belief.make_roots(state, player, question, room, promises, key)
        return self._keep(player, question, self._search(state, roots, key, end))

    @property
    def _most_first(self) -> int:
        """Return how many histories there may be after the first step of a search."""
        return int(self._limits.nodes * _ROOT_SHARE)

    def _find_room(self, end: float, most: int) -> int:
        """Return how many histories can be made in a share of the time that is left, at most."""
        if self._limits.iterations:
            return most
        left = max(0.0, end - self._limits.clock())
        return max(_LEAST_ROOM, min(most, int(_STEP_SHARE * left * self._rate)))

    def _search(self, state: PublicState, roots: Roots, key: int, end: float) -> _Stage:
        found = search_subgame(self._sight, roots, self._limits, key, end)
        if found.rate:
            self._rate = 0.5 * (self._rate + found.rate)
        return self._read(state, found)

    def _read(self, state: PublicState, found: SolvedSubgame) -> _Stage:
        players = range(self._players)
        behaviours = tuple(found.behaviour(player) for player in players)
        promises: tuple[dict[bytes, float], ...] = ()
        if self._players == 2 and found.tree.is_constant_sum:
            promises = tuple(found.promises(player) for player in players)
        decisions = frozenset(
            (player, found.tree.own[player].digest_at(number))
            for player in players
            for number in found.tree.decisions_of_roots(player)
        )
        return _Stage(state, behaviours, promises, decisions)

    def _keep(self, player: int, question: bytes, stage: _Stage) -> _Stage:
        self._stages[player, question] = stage
        if len(self._stages) > _KEPT:
            self._stages.popitem(last=False)
        return stage

    def _key(self, digest: bytes) -> int:
        text = blake2b(digest + str(self._seed).encode(), digest_size=8).digest()
        return int.from_bytes(text, 'little')
