"""What moves do, worked out once for each combination of moves that is played.

With its moves given, nearly all of a network vanishes: most facts stay as they are, and what
becomes of the others needs a few gates on the state. So the gates that depend on moves are
evaluated on literals in place of values, once, and what is left of them is kept as a program:
the gates to compute, and then the facts to compare.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit.network.logic import INPUT, KIND, LEFT, Literals
from gdl_env.engine.circuit.single_state.columns import (
    BYTES,
    FIRST_INPUT_NODE,
    FIRST_MOVE,
    GATES_SIZE,
    STEP,
    USER,
)
from gdl_env.engine.circuit.single_state.event_network import address_of, uses_of
from gdl_env.engine.circuit.single_state.programs import FRAME, USED, evaluate_all, program_of

# Words of programs that are kept, at least and at most; and for each move.
_LEAST_POOL, _LARGEST_POOL = 1 << 12, 1 << 22
_POOL_A_MOVE = 128


@dataclass(frozen=True)
class Effects:
    """The part of a network that depends on moves.

    Its nodes are numbered apart: moves, then gates. In `gates` an input of a gate is 2 · node, or
    2 · node of the state + 1. Literals of the state are 2 · node, plus 1 where inverted.
    """

    # int32, shape (nodes, 3): OPERATION, FIRST_OPERAND, SECOND_OPERAND.
    gates: NDArray[np.int32]
    # int32, shape (nodes + 1): the users of node n are uses[use_start[n]:use_start[n + 1]].
    use_start: NDArray[np.int32]
    # int32, shape (uses): nodes.
    uses: NDArray[np.int32]
    # int32, shape (nodes): the literal of each node where no move is made.
    base: NDArray[np.int32]
    # int32, shape (gates, 3): the gates that these literals need on top of the state: OPERATION,
    # and literals as FIRST_OPERAND and SECOND_OPERAND.
    base_gates: NDArray[np.int32]
    # int32, shape (facts, 3), of those whose next value depends on moves: NEXT_FACT (its node),
    # NEXT_NODE (here), NEXT_INVERTED.
    next: NDArray[np.int32]
    # int32, shape (facts, 2), of the others that can change: CHANGED_FACT (its node),
    # CHANGED_LITERAL.
    always: NDArray[np.int32]
    # How many nodes of the state there are, and how many moves.
    states: int
    moves: int

    @property
    def spare(self) -> int:
        """Return how many values of gates a program has at most."""
        return len(self.base_gates) + len(self.gates) + 1


class Learned:
    """Programs for moves, as they are learned."""

    def __init__(self, effects: Effects) -> None:
        """Begin with nothing."""
        self.effects = effects
        self.literals = effects.base.copy()
        self.dirty = np.zeros(len(effects.gates) // 64 + 1, np.uint64)
        self.made = np.empty((effects.spare, 3), np.int32)
        self.made[: len(effects.base_gates)] = effects.base_gates
        self.needed = np.zeros(effects.spare, np.uint8)
        self.largest = 4 * effects.spare + 2 * len(effects.next) + effects.moves + 8
        wanted = min(max(_LEAST_POOL, _POOL_A_MOVE * effects.moves), _LARGEST_POOL)
        self.pool = np.empty(max(2 * self.largest, wanted), np.int32)
        self.table = np.zeros(1 << max(8, min(16, (4 * effects.moves).bit_length())), np.int32)
        self.frame = np.zeros(FRAME, np.int64)
        self._fill()

    def copy(self) -> Learned:
        """Return an independent copy."""
        copy = object.__new__(Learned)
        copy.effects, copy.largest = self.effects, self.largest
        copy.literals, copy.dirty = self.literals.copy(), self.dirty.copy()
        copy.made, copy.needed = self.made.copy(), self.needed.copy()
        copy.table, copy.frame = self.table.copy(), self.frame.copy()
        used = self.frame[USED]
        copy.pool = np.empty_like(self.pool)
        copy.pool[:used] = self.pool[:used]
        copy._fill()
        return copy

    def gates_of(self, moves: NDArray[np.int64]) -> int:
        """Return how many gates the program of some moves has."""
        place = (program_of(self.address, moves) - address_of(self.pool)) // BYTES
        return int(self.pool[place + FIRST_MOVE + len(moves) + GATES_SIZE]) // STEP

    def _fill(self) -> None:
        known = self.effects
        arrays = (
            known.gates, known.use_start, known.uses, known.base, known.next, known.always,
            self.literals, self.dirty, self.made, self.needed, self.pool, self.table,
        )  # fmt: skip
        self.address = address_of(self.frame)
        self.frame[:USED] = [
            *map(address_of, arrays),
            len(known.gates),
            len(known.next),
            len(known.always),
            len(known.base_gates),
            known.states,
            len(self.dirty),
            len(self.table) - 1,
            len(self.pool),
            self.largest,
        ]


def make_effects(
    gates: NDArray[np.int32],
    moving: NDArray[np.bool_],
    does: Literals,
    after: Literals,
    state: NDArray[np.int64],
    states: int,
) -> Effects:
    """Cut out what depends on moves; `state` gives the nodes of the rest their numbers."""
    inner = np.flatnonzero(moving & (gates[:, KIND] != INPUT))
    here = np.zeros(len(gates), np.int64)
    here[does >> 1] = np.arange(len(does))
    here[inner] = len(does) + np.arange(len(inner))
    rows = np.full((len(does) + len(inner), 3), INPUT, np.int32)
    rows[len(does) :, KIND] = gates[inner, KIND]
    below = gates[inner, LEFT:]
    rows[len(does) :, LEFT:] = np.where(moving[below], 2 * here[below], 2 * state[below] + 1)
    inside = rows.copy()
    # For the table of users, a node of the state is one beyond all of these.
    inside[len(does) :, LEFT:] = np.where(moving[below], here[below], len(rows))
    start, uses = uses_of(np.concatenate([inside, np.full((1, 3), INPUT, np.int32)]))
    facts = FIRST_INPUT_NODE + np.arange(len(after))
    moved = moving[after >> 1]
    literals = (2 * state[after >> 1] + (after & 1)).astype(np.int64)
    can_change = ~moved & (literals != 2 * facts)
    base = np.zeros(len(rows), np.int32)
    made = np.empty((len(rows) + 1, 3), np.int32)
    count = evaluate_all(*map(address_of, (rows, base, made)), len(rows), states)
    return Effects(
        rows,
        start,
        np.ascontiguousarray(uses[:, USER]),
        base,
        made[:count].copy(),
        np.stack([facts, here[after >> 1], after & 1], axis=1)[moved].astype(np.int32),
        np.stack([facts, literals], axis=1)[can_change].astype(np.int32),
        states,
        len(does),
    )
