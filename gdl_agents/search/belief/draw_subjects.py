"""What draws of chance are about: the names that they share with facts and moves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.game.match_table import MatchTable
from gdl_env.engine.batch.contract import NO_MOVE, Rows
from gdl_env.language.reader import read_term
from gdl_env.language.terms import symbol_names

_KEPT = 64


class DrawSubjects:
    """Says which draws belong to which entries of an observation, to moves, and to each other.

    `(deal clubs ace)` is about `(hand clubs ace)`: all its names are there.
    """

    def __init__(self, table: MatchTable) -> None:
        self._rules = table.rules
        mapping = table.mapping
        size = mapping.observation_size if mapping is not None else 0
        entries = [
            frozenset(symbol_names(read_term(mapping.observation_name(entry))))
            for entry in range(size)
            if mapping is not None
        ]
        names = sorted(frozenset().union(*entries))
        self._numbers = {name: number for number, name in enumerate(names)}
        self._names: dict[int, frozenset[str]] = {}
        self._entries = self._mark(entries)
        # Asked again and again for the same draws.
        self._kept: dict[bytes, NDArray[np.bool_]] = {}

    def match(self, draws: Rows) -> NDArray[np.bool_]:
        """Tell which draws are about what which entries show: draws by entries."""
        key = draws.tobytes()
        if key not in self._kept:
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            self._kept[key] = self._hold(draws, self._entries)
        return self._kept[key]

    def match_moves(self, draws: Rows, moves: Rows) -> NDArray[np.bool_]:
        """Tell which draws are about the same as which moves: draws by moves."""
        return self._hold(draws, self._mark([self._names_of(row) for row in moves.tolist()]))

    def are_alike(self, draws: Rows) -> NDArray[np.bool_]:
        """Tell which draws are about the same: draws by draws."""
        about = self.match_moves(draws, draws)
        alike: NDArray[np.bool_] = (about & about.T) | np.eye(len(draws), dtype=np.bool_)
        return alike

    def replace(self, row: int, others: list[int]) -> int:
        """Return a draw with the same names and perhaps other numbers, if there is one.

        So one copy of a card stands for another.
        """
        if row == NO_MOVE or row in others:
            return row
        names = self._names_of(row)
        return next((other for other in others if self._names_of(other) == names), row)

    def _hold(self, draws: Rows, others: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Tell where all names of a draw are among those of another; it must have some."""
        names = [self._names_of(row) for row in draws.tolist()]
        sizes = np.array([len(each) for each in names])[:, None]
        held: NDArray[np.bool_] = (self._mark(names) @ others.T == sizes) & (sizes > 0)
        return held

    def _mark(self, names: list[frozenset[str]]) -> NDArray[np.float32]:
        """Return names as rows of 1 and 0; those that no entry has are left out."""
        marks = np.zeros((len(names), len(self._numbers)), np.float32)
        for row, each in zip(marks, names, strict=True):
            row[[self._numbers[name] for name in each if name in self._numbers]] = 1
        return marks

    def _names_of(self, row: int) -> frozenset[str]:
        if row not in self._names:
            self._names[row] = frozenset(symbol_names(self._rules.legal_move(row)[1]))
        return self._names[row]
