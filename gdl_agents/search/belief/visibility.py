"""What one role sees of states of a game whose facts say what is seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.belief.knowledge import Glance, Knowledge, Known
from gdl_agents.search.game.match_table import MatchTable
from gdl_agents.search.game.turn_kernels import UNKNOWN
from gdl_env.engine.batch.contract import Look, States


class Sight:
    """Looks at states for one role."""

    def __init__(self, table: MatchTable, role: int) -> None:
        self._table = table
        self._role = role
        self._knowledge = Knowledge(table, role)

    def agrees(self, states: States, glance: Glance) -> NDArray[np.bool_]:
        """Tell which states agree with what is shown."""
        return self._knowledge.agrees(self.as_known(states), glance)

    def is_quiet(self, look: Look) -> NDArray[np.bool_]:
        """Tell where no role has a decision, though the game continues."""
        return self._knowledge.is_quiet(look, np.full(len(look.terminal), UNKNOWN))

    def distance(self, states: States, glance: Glance) -> NDArray[np.int64]:
        """Return in how many entries what is seen differs."""
        differs = self.observe(states) ^ glance.observation[None]
        return np.asarray(np.unpackbits(differs, axis=1).sum(axis=1), np.int64)

    def find_entries(self, states: States) -> NDArray[np.bool_]:
        """Return the entries that are shown: states by entries."""
        return self._unpack(self.observe(states))

    def entries(self, glance: Glance) -> NDArray[np.bool_]:
        """Return the entries that a glance shows."""
        shown: NDArray[np.bool_] = self._unpack(glance.observation[None])[0]
        return shown

    def observe(self, states: States) -> NDArray[np.uint8]:
        """Return the same as packed rows."""
        return self._table.observe(self._role, states, self._nothing(len(states)))

    def as_known(self, states: States) -> Known:
        """Return states as what is known, all as likely."""
        count = len(states)
        weight = np.full(count, 1 / max(1, count))
        last = np.full(count, UNKNOWN)
        return Known(states, self._nothing(count), weight, last, is_complete=False)

    def _unpack(self, observations: NDArray[np.uint8]) -> NDArray[np.bool_]:
        size = self._table.mapping.observation_size if self._table.mapping else 0
        bits = np.unpackbits(observations, axis=1, count=size, bitorder='little')
        return bits.astype(np.bool_)

    def _nothing(self, count: int) -> States:
        return np.zeros((count, self._table.rules.percept_words), np.uint64)
