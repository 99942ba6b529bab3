"""A tape: operations on rows of words, ready to be run."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.layout import FIRST_INPUT, ONE, ZERO
from gdl_env.engine.circuit.network.build import Loop
from gdl_env.engine.circuit.network.logic import INPUT, KIND, LEFT, RIGHT, Literals, Network
from gdl_env.engine.circuit.tape import columns
from gdl_env.engine.circuit.tape.schedule import (
    copy_row,
    depth_first,
    group_kinds,
    invert_row,
    needed_nodes,
    place_values,
)
from gdl_env.engine.circuit.verifier import is_verifying, verify_tape
from gdl_env.engine.grounding.budget import UNLIMITED, Budget

# Nodes that are looked at one by one between looks at the time.
_NODES_A_CHECK = 4096

# Gates within which the order may change for the sake of longer runs.
_WINDOW = 1024


@dataclass(frozen=True)
class Tape:
    """Operations on slots, cut into runs; a slot is a row of `gdl_env.engine.batch.layout`.

    The names of columns are in `columns.py`.
    """

    # int32, shape (operations, 4): KIND, TARGET, LEFT, RIGHT. Slots are used again.
    operations: NDArray[np.int32]
    # int32, shape (runs, 4): RUN_KIND, FIRST, END, LOOP. LOOP is 0, or the number of a cycle,
    # from 1 up, whose runs are repeated until its feedback does not change.
    runs: NDArray[np.int32]
    # int32, shape (what cycles feed back, 3): FED_LOOP, FED_INPUT, FED_RESULT.
    feedback: NDArray[np.int32]
    # How many slots there are, constants and inputs included.
    slots: int
    # How many inputs there are; they begin at FIRST_INPUT, in the order in which they were given.
    inputs: int
    # int32, for each group the slot of each output.
    outputs: tuple[NDArray[np.int32], ...]

    def places(self, width: int) -> NDArray[np.uint32]:
        """Return target, left and right of each operation as offsets into rows of this width."""
        return (
            np.ascontiguousarray(self.operations[:, columns.TARGET :] * width)
            .astype(np.uint32)
            .ravel()
        )


def make_tape(
    net: Network,
    inputs: Literals,
    outputs: list[Literals],
    loops: list[Loop],
    budget: Budget = UNLIMITED,
) -> Tape:
    """Schedule what is needed for the outputs. Inputs that are constants get a slot, too."""
    tape = _Scheduler(net, inputs, loops, budget).run(outputs)
    if is_verifying():
        verify_tape(tape)
    return tape


class _Scheduler:
    def __init__(self, net: Network, inputs: Literals, loops: list[Loop], budget: Budget) -> None:
        self._budget = budget
        self._gates = net.nodes
        self._loops = loops
        self._done = self._gates[:, KIND] == INPUT
        self._slot = np.full(len(self._gates), -1, np.int32)
        self._slot[0] = ZERO
        self._inputs = len(inputs)
        for index, literal in enumerate(inputs):
            if literal > 1:
                self._slot[literal >> 1] = FIRST_INPUT + index
        self._slots = FIRST_INPUT + len(inputs)
        self._rows: list[NDArray[np.int32]] = []
        self._runs: list[tuple[int, int, int, int]] = []
        self._length = 0
        self._feedback: list[tuple[int, int, int]] = []

    def run(self, outputs: list[Literals]) -> Tape:
        wanted = np.unique(np.concatenate([*outputs, np.zeros(1, np.int32)]) >> 1)
        used = self._used_loops(wanted)
        kept = np.zeros(len(self._gates), np.bool_)
        kept[wanted] = True
        for number, loop in enumerate(used, 1):
            self._add_loop(number, loop, kept)
        self._add(wanted, kept, 0)
        slots = tuple(self._output(group) for group in outputs)
        operations = np.concatenate(self._rows) if self._rows else np.zeros((0, 4), np.int32)
        return Tape(
            np.ascontiguousarray(operations),
            np.array(self._runs, np.int32).reshape(-1, 4),
            np.array(self._feedback, np.int32).reshape(-1, 3),
            self._slots,
            self._inputs,
            slots,
        )

    def _used_loops(self, wanted: NDArray[np.int32]) -> list[Loop]:
        """Return the loops that matter, in the order in which they were made."""
        nothing = np.zeros(len(self._gates), np.bool_)
        used: set[int] = set()
        frontier = wanted
        while True:
            self._check()
            cone = needed_nodes(self._gates, frontier, nothing)
            touched = np.zeros(len(self._gates), np.bool_)
            touched[self._gates[cone, LEFT]] = True
            touched[self._gates[cone, RIGHT]] = True
            touched[frontier] = True
            new = [
                index
                for index, loop in enumerate(self._loops)
                if index not in used and touched[loop.inputs >> 1].any()
            ]
            if not new:
                return [self._loops[index] for index in sorted(used)]
            used.update(new)
            more = [self._loops[index].results >> 1 for index in new]
            frontier = np.unique(np.concatenate([frontier, *more]))

    def _add_loop(self, number: int, loop: Loop, kept: NDArray[np.bool_]) -> None:
        """Compute what feeds the cycle from outside, then the cycle itself."""
        results = np.unique(loop.results >> 1)
        nodes = loop.inputs >> 1
        self._slot[nodes] = np.arange(self._slots, self._slots + len(nodes), dtype=np.int32)
        self._slots += len(nodes)
        cone = needed_nodes(self._gates, results, self._done)
        inside = self._depending(cone, nodes)
        border = np.unique(self._gates[cone & inside][:, LEFT:].ravel())
        outside = border[cone[border] & ~inside[border]]
        outside = np.unique(np.concatenate([outside, results[cone[results] & ~inside[results]]]))
        kept[outside] = True
        self._add(outside, kept, 0)
        kept[results] = True
        self._add(results, kept, number)
        fed = [self._plain(int(result), number) for result in loop.results]
        if not any(run[columns.LOOP] == number for run in self._runs):
            # Cycles are repeated as runs: one without gates would never feed anything back.
            fed[0] = self._copy(fed[0], number)
        for node, result in zip(nodes, fed, strict=True):
            self._feedback.append((number, int(self._slot[node]), result))

    def _depending(self, cone: NDArray[np.bool_], sources: NDArray[np.int32]) -> NDArray[np.bool_]:
        marked = np.zeros(len(self._gates), np.bool_)
        marked[sources] = True
        for node in np.flatnonzero(cone):
            if node % _NODES_A_CHECK == 0:
                self._check()
            # Nodes are numbered in the order of their making: children come first.
            if marked[self._gates[node, LEFT]] or marked[self._gates[node, RIGHT]]:
                marked[node] = True
        return marked

    def _add(self, wanted: NDArray[np.int32], kept: NDArray[np.bool_], loop: int) -> None:
        self._check()
        needed = needed_nodes(self._gates, wanted, self._done)
        order = depth_first(self._gates, needed, wanted)
        order = group_kinds(self._gates, order, _WINDOW)
        if not len(order):
            return
        keep = kept.copy()
        rows, self._slots = place_values(self._gates, order, self._slot, keep, self._slots)
        self._append(rows, loop)
        # Only what is kept can be used by later parts.
        self._done[order] = kept[order]
        self._slot[order[~kept[order]]] = -1

    def _append(self, rows: NDArray[np.int32], loop: int) -> None:
        kinds = rows[:, columns.KIND]
        cuts = np.concatenate([[0], np.flatnonzero(np.diff(kinds)) + 1, [len(kinds)]])
        for low, high in pairwise(cuts):
            first = self._length + int(low)
            self._runs.append((int(kinds[low]), first, self._length + int(high), loop))
        self._rows.append(rows)
        self._length += len(rows)

    def _check(self) -> None:
        self._budget.check('scheduling it')

    def _output(self, literals: Literals) -> NDArray[np.int32]:
        return np.array([self._plain(int(literal), 0) for literal in literals], np.int32)

    def _copy(self, slot: int, loop: int) -> int:
        """Return another slot with the same value."""
        target = self._slots
        self._slots += 1
        self._append(np.array([copy_row(target, slot)], np.int32), loop)
        return target

    def _plain(self, literal: int, loop: int) -> int:
        """Return a slot that holds a literal, inverted where need be."""
        if literal <= 1:
            return ONE if literal else ZERO
        slot = int(self._slot[literal >> 1])
        if not literal & 1:
            return slot
        target = self._slots
        self._slots += 1
        self._append(np.array([invert_row(target, slot)], np.int32), loop)
        return target
