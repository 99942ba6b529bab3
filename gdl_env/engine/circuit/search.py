"""A state to search from: do, undo, clone, hash, legal moves, goals, at low latency."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit.compiled import CompiledGame
from gdl_env.engine.circuit.events import do, flip, legal_rows, make_values, propagate, undo
from gdl_env.engine.contract import Move, Role, State
from gdl_env.errors import EngineError, IllegalMoveError

_TRAIL = 1 << 16


class Search:
    """A position that moves forth and back. Moves are numbers: rows of the move tables.

    `legal()` gives rows of `vocabulary.legal`; `do()` takes rows of `vocabulary.does`, one for
    each acting role; for games without experiments `does_row` turns one into the other.
    """

    def __init__(self, compiled: CompiledGame, state: State | None = None) -> None:
        """Start at a state, or at the initial one. Raises EngineError for games with cycles."""
        if compiled.events is None:
            raise EngineError('the rules of this game have cycles: search it by the engine itself')
        self.compiled = compiled
        self.vocabulary = compiled.vocabulary
        self._net = compiled.events
        self._values = make_values(self._net)
        self._dirty = np.zeros(len(self._net.gates) // 64 + 1, np.uint64)
        self._trail = np.zeros(_TRAIL, np.int32)
        self._count = 0
        # The length of the trail before each move.
        self._marks: list[int] = []
        numbers = {pair: row for row, pair in enumerate(self.vocabulary.does)}
        self.does_row = np.array([numbers.get(p, -1) for p in self.vocabulary.legal], np.int64)
        rank = {role: index for index, role in enumerate(self.vocabulary.roles)}
        self.legal_role = np.array([rank[role] for role, _ in self.vocabulary.legal], np.int64)
        self.place(state)

    # ---- moving

    def place(self, state: State | None = None) -> None:
        """Put up a state, or the initial one; what was done before cannot be undone."""
        facts = self.vocabulary.facts
        wanted = self.vocabulary.initial if state is None else [fact in state for fact in facts]
        now = self.facts
        self._count = 0
        for row in np.flatnonzero(np.asarray(wanted, np.bool_) != now):
            self._reserve()
            self._count = flip(1 + int(row), *self._memory())
        self._reserve()
        propagate(self._net.gates, *self._memory())
        self._count = 0
        self._marks.clear()

    def do(self, moves: NDArray[np.int64]) -> None:
        """Play moves, given as rows of the table `vocabulary.does`."""
        self._reserve()
        net = self._net
        self._marks.append(self._count)
        self._count = do(net.gates, *self._memory(), net.facts, net.next, moves)

    def do_moves(self, moves: Mapping[Role, Move]) -> None:
        """Play moves given as terms. Raises IllegalMoveError for one that can never be made."""
        table = {pair: row for row, pair in enumerate(self.vocabulary.does)}
        for pair in moves.items():
            if pair not in table:
                raise IllegalMoveError(*pair, ())
        self.do(np.array([table[pair] for pair in moves.items()], np.int64))

    def undo(self) -> None:
        """Take the last move back. Raises EngineError at the start."""
        if not self._marks:
            raise EngineError('there is nothing to undo')
        self._count = undo(self._values, self._trail, self._count, self._marks.pop())

    def clone(self) -> Search:
        """Return an independent copy at the same state, without its past."""
        copy = object.__new__(Search)
        copy.__dict__.update(self.__dict__)
        copy._values = self._values.copy()
        copy._dirty = self._dirty.copy()
        copy._trail = np.zeros(_TRAIL, np.int32)
        copy._count = 0
        copy._marks = []
        return copy

    # ---- asking

    @property
    def facts(self) -> NDArray[np.bool_]:
        """Tell for each fact of the vocabulary whether it holds."""
        return self._values[1 : 1 + self._net.facts].astype(np.bool_)

    def key(self) -> bytes:
        """Return a key that is equal for equal states."""
        return np.packbits(self.facts).tobytes()

    def state(self) -> State:
        """Return the state as a set of facts."""
        facts = self.vocabulary.facts
        return frozenset(facts[row] for row in np.flatnonzero(self.facts))

    @property
    def is_terminal(self) -> bool:
        """Tell whether the game is over."""
        literal = self._net.terminal
        return bool(self._values[literal >> 1] ^ (literal & 1))

    def legal(self) -> NDArray[np.int64]:
        """Return the rows of the legal moves of all roles."""
        rows: NDArray[np.int64] = legal_rows(self._net.legal, self._values)
        return rows

    def _memory(
        self,
    ) -> tuple[
        NDArray[np.uint8],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.uint64],
        NDArray[np.int32],
        int,
    ]:
        net = self._net
        return self._values, net.use_start, net.uses, self._dirty, self._trail, self._count

    def _reserve(self) -> None:
        """Make room for as many changes as one move can bring."""
        wanted = self._count + 3 * len(self._net.gates) + 16
        if wanted > len(self._trail):
            grown = np.zeros(max(wanted, 2 * len(self._trail)), np.int32)
            grown[: self._count] = self._trail[: self._count]
            self._trail = grown
