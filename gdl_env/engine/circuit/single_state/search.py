"""A state to search from: do, undo, clone, hash, legal moves, at low latency."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit.compiled import CompiledGame
from gdl_env.engine.circuit.single_state.columns import FIRST_INPUT_NODE
from gdl_env.engine.circuit.single_state.effects import Learned
from gdl_env.engine.circuit.single_state.event_network import Values
from gdl_env.engine.circuit.single_state.events import flip, propagate, undo
from gdl_env.engine.circuit.single_state.single import FIRST_NEXT, TERMINAL, do, legal_rows
from gdl_env.engine.contract import Move, Role, State
from gdl_env.errors import EngineError, IllegalMoveError


class Search:
    """A position that moves forth and back. Moves are numbers: rows of the move tables.

    `legal()` gives rows of `vocabulary.legal`; `do()` takes rows of `vocabulary.does`, one for
    each acting role; for games without experiments `does_row` turns one into the other.
    """

    def __init__(self, compiled: CompiledGame, state: State | None = None) -> None:
        """Start at a state, or at the initial one."""
        self.compiled = compiled
        self.vocabulary = compiled.vocabulary
        self._nets = compiled.single
        self._learned = Learned(self._nets.effects)
        self._now = Values(self._nets.state, self._nets.effects.spare)
        self._legal = Values(self._nets.legal)
        self._after = self._nets.state.outputs[FIRST_NEXT:]
        self.changes = 0
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
        count = 0
        for row in np.flatnonzero(np.asarray(wanted, np.bool_) != self.facts):
            count = flip(self._now.address, count, FIRST_INPUT_NODE + int(row))
        propagate(self._now.address, count)
        self.changes = 0
        self._marks.clear()

    def do(self, moves: NDArray[np.int64]) -> None:
        """Play moves, given as rows of the table `vocabulary.does`."""
        self._marks.append(self.changes)
        self.changes = do(*self.frames(), self.changes, moves)

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
        self.changes = undo(self._now.address, self.changes, self._marks.pop())

    def clone(self) -> Search:
        """Return an independent copy at the same state, without its past."""
        copy = object.__new__(Search)
        copy.__dict__.update(self.__dict__)
        copy._now, copy._legal = self._now.copy(), self._legal.copy()
        copy._learned = self._learned.copy()
        copy.changes = 0
        copy._marks = []
        return copy

    # ---- asking

    @property
    def facts(self) -> NDArray[np.bool_]:
        """Tell for each fact of the vocabulary whether it holds."""
        return self._values_of_facts.astype(np.bool_)

    def key(self) -> bytes:
        """Return a key that is equal for equal states."""
        return np.packbits(self._values_of_facts).tobytes()

    def state(self) -> State:
        """Return the state as a set of facts."""
        facts = self.vocabulary.facts
        return frozenset(facts[row] for row in np.flatnonzero(self._values_of_facts))

    @property
    def is_terminal(self) -> bool:
        """Tell whether the game is over."""
        literal = int(self._nets.state.outputs[TERMINAL])
        return bool(self._now.values[literal >> 1] ^ (literal & 1))

    def legal(self) -> NDArray[np.int64]:
        """Return the rows of the legal moves of all roles."""
        rows: NDArray[np.int64] = legal_rows(
            self._legal.address, self._nets.legal.outputs, self._values_of_facts
        )
        return rows

    def frames(self) -> tuple[int, int, NDArray[np.int32]]:
        """Return the first arguments of `single.do`, for a step in compiled code.

        There is room for one step from here; `changes` is the length of the trail so far.
        """
        self._now.reserve(self.changes)
        return self._now.address, self._learned.address, self._after

    @property
    def _values_of_facts(self) -> NDArray[np.uint8]:
        return self._now.values[FIRST_INPUT_NODE : FIRST_INPUT_NODE + len(self.vocabulary.facts)]
