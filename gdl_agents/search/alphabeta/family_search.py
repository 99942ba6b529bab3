"""Alpha-beta search by whole families: see `family_kernels`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.alphabeta.family_kernels import search_families
from gdl_agents.search.alphabeta.family_records import Families, FamilySearched, Lanes
from gdl_agents.search.alphabeta.family_values import begin_root
from gdl_agents.search.alphabeta.records import FINDINGS, POSITION
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import States

# Positions that are remembered.
_TABLE = 1 << 20
# Children of a family that there is room for at most, and legal moves of each on the average.
_CHILDREN = 8192
_MOVES = 64
# Where a pass takes fewer states than that there is machine code: more of them make it slower.
_LANES = 64


class FamilySearch:
    """A position that is searched, with a table of positions that were met."""

    def __init__(
        self,
        rules: CircuitBatch,
        player: int,
        deepest: int,
        weights: NDArray[np.float64],
        partners: Sequence[int],
    ) -> None:
        """Get ready to search for a player; `weights` (one a fact, and a constant) or none."""
        self._rules = rules
        tables = rules.successor_tables(_LANES)
        roles, words, facts = len(rules.roles), rules.initial.shape[1], len(rules.vocabulary.facts)
        most = int(np.bincount(rules.legal_roles, minlength=roles).max(initial=1))
        # Room for the root, and for the families of each ply.
        plies, children = deepest + 3, min(most, _CHILDREN)
        self._families = Families(
            states=np.zeros((plies, children, words), np.uint64),
            starts=np.zeros((plies, children, roles + 1), np.int64),
            rows=np.zeros((plies, _MOVES * children + len(rules.legal_roles)), np.int32),
            terminal=np.zeros((plies, children), np.bool_),
            goals=np.zeros((plies, children, roles), np.int16),
            hashes=np.zeros((plies, children), np.uint64),
            sums=np.zeros((plies, children)),
            moves=np.zeros((plies, children), np.int32),
            order=np.zeros((plies, children), np.int64),
            ranks=np.zeros((plies, children), np.int64),
        )
        lanes = 64 * tables.programs.step.program.width
        self._lanes = Lanes(
            parents=np.zeros(lanes, np.int64),
            does=np.zeros((lanes, roles), np.int32),
            found=np.zeros((lanes, words), np.uint64),
            bits=np.zeros((lanes, -(-len(rules.legal_roles) // 64)), np.uint64),
            terminal=np.zeros(lanes, np.bool_),
            goals=np.zeros((lanes, roles), np.int16),
            values=np.zeros(children),
            estimated=np.zeros(children, np.bool_),
        )
        chance = np.random.Generator(np.random.Philox(key=facts))
        is_own = np.zeros(roles, np.bool_)
        is_own[[player, *partners]] = True
        self._searched = FamilySearched(
            tables=tables,
            families=self._families,
            lanes=self._lanes,
            memory=np.zeros(_TABLE, POSITION),
            history=np.zeros(len(rules.legal_roles), np.int64),
            plain=rules.plain(np.arange(len(rules.legal_roles), dtype=np.int32)),
            marks=chance.integers(0, 2**64, facts + 1, np.uint64),
            weights=weights,
            is_own=is_own,
            player=player,
            nature=rules.nature,
            findings=np.zeros(1, FINDINGS),
            is_unfit=np.zeros(1, np.bool_),
            limit=0,
        )
        self._found = np.zeros((2, children))

    def run(
        self, state: States, depth: int, limit: int, key: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float64], Any] | None:
        """Search to a depth, or until `limit` positions were met.

        Returns the rows of the legal moves, their values of the last depth in which not all was
        lost and of the last one, and FINDINGS; None where it met a position in which not one role
        decides.
        """
        searched, families = self._searched._replace(limit=limit), self._families
        look = self._rules.look(state[None])
        own = look.moves(0, searched.player)
        others = np.delete(look.counts()[0], searched.player)
        if len(own) < 2 or (others > 1).any() or look.terminal[0]:
            return None
        families.states[0, 0] = state
        families.starts[0, 0] = look.starts[0]
        families.rows[0, : len(look.rows)] = look.rows
        searched.marks[-1] = np.uint64(key & (2**64 - 1))
        searched.history[:] = 0
        searched.is_unfit[0] = False
        begin_root(searched)
        search_families(searched, depth, self._found)
        if searched.is_unfit[0]:
            return None
        return own.copy(), self._found[:, : len(own)].copy(), searched.findings[0]
