"""What draws of chance are about: the names that they share with facts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.rules import NO_MOVE
from gdl_agents.search.table import MatchTable
from gdl_env.language.reader import read_term
from gdl_env.language.terms import symbol_names


class Subjects:
    """Says which draws belong to which entries of an observation, and to each other.

    `(deal clubs ace)` is about `(hand clubs ace)`: all its names are there.
    """

    def __init__(self, table: MatchTable) -> None:
        self._rules = table.rules
        mapping = table.mapping
        size = mapping.observation_size if mapping is not None else 0
        self._entries = [
            frozenset(symbol_names(read_term(mapping.observation_name(entry))))
            for entry in range(size)
            if mapping is not None
        ]
        self._names: dict[int, frozenset[str]] = {}

    def about(self, rows: NDArray[np.int32], entry: int) -> NDArray[np.intp]:
        """Return the places of draws that are about what an entry shows."""
        shown = self._entries[entry]
        names = [self._names_of(row) for row in rows.tolist()]
        return np.flatnonzero([bool(each) and each <= shown for each in names])

    def replace(self, row: int, others: list[int]) -> int:
        """Return a draw with the same names and perhaps other numbers, if there is one.

        So one copy of a card stands for another.
        """
        if row == NO_MOVE or row in others:
            return row
        names = self._names_of(row)
        return next((other for other in others if self._names_of(other) == names), row)

    def _names_of(self, row: int) -> frozenset[str]:
        if row not in self._names:
            self._names[row] = frozenset(symbol_names(self._rules.legal_move(row)[1]))
        return self._names[row]
