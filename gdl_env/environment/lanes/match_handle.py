"""The records of a match by one handle, which compiled code opens as it needs them; see `handles`.

A function that is given fifty arrays takes seconds to compile and microseconds to call. So kernels
take the handle, and open the records that they work on: a few loads from memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numba import carray
import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.circuit_programs import (
    CircuitPrograms,
    LookRules,
    ScoreRules,
    StepRules,
)
from gdl_env.engine.batch.handles import (
    flag_line,
    flags,
    int_line,
    ints,
    long_line,
    make_handle,
    number_line,
    pointer_at,
    word_line,
    words,
)
from gdl_env.engine.circuit.tape.program import Program
from gdl_env.environment.lanes.records import (
    DrawTables,
    GoalTables,
    LaneArrays,
    ResultArrays,
    Scratch,
    SeatTables,
    ViewTables,
)
from gdl_env.environment.lanes.tick_result import ResultLayout, ResultPool, TickResult

# Entries of a handle, in this order: numbers, the buffer of the result, and the records.
_NUMBERS, _RESULT, _OFFSETS, _SEATS = 0, 1, 2, 3
_LANES = _SEATS + len(SeatTables._fields)
_SCRATCH = _LANES + len(LaneArrays._fields)
_VIEWS = _SCRATCH + len(Scratch._fields)
_DRAWS = _VIEWS + len(ViewTables._fields)
_GOALS = _DRAWS + len(DrawTables._fields)
_SLOTS = _GOALS + len(GoalTables._fields)
_PROGRAMS = _SLOTS + 10
# The place of the result's address among the numbers of a handle.
_RESULT_ADDRESS = 3 * _RESULT
# The number of blocks, among the numbers of a match.
_BLOCKS = 9


class MatchHandle:
    """The handle of a match, and the arrays that it points to."""

    def __init__(
        self,
        seats: SeatTables,
        lanes: LaneArrays,
        scratch: Scratch,
        circuit: tuple[ViewTables, DrawTables, GoalTables, CircuitPrograms] | None = None,
        result: TickResult | None = None,
        *,
        has_blocks: bool = False,
    ) -> None:
        """Make a handle; without a circuit only kernels that need no engine can use it.

        With `result` the tick that is under way continues to write there. `has_blocks`: lanes may
        be played as blocks.
        """
        kept = (0, 0), (0, 0)
        if has_blocks and circuit is not None:
            step = circuit[3].step
            width = step.program.width
            blocks = -(-len(lanes.steps) // (64 * width))
            kept = (blocks, step.facts * width), (blocks, width)
        sizes = *lanes.decides.shape, lanes.states.shape[1], lanes.seen.shape[1]
        layout = ResultLayout(sizes, kept)
        numbers, no_result = np.zeros(10, np.int64), np.zeros(1, np.uint8)
        arrays: list[NDArray[Any]] = [numbers, no_result, layout.offsets]
        arrays += [*seats, *lanes, *scratch]
        if circuit is not None:
            views, draws, goals, programs = circuit
            arrays[0] = np.array([*_program_numbers(programs), kept[0][0]])
            step, look, score = programs
            arrays += [*views, *draws, *goals]
            arrays += [step.after, step.percepts, look.legal, look.possible, look.inputs]
            arrays += [score.goals, score.events, step.moved, look.reads, score.reads]
            for rules in programs:
                arrays += rules.program[:4]
        self._arrays = arrays
        # Programs hold the memory of machine code.
        self._circuit = circuit
        self.is_circuit = circuit is not None
        # What compiled code is given.
        self.address = make_handle(arrays)
        self._pool = ResultPool(layout)
        # What the current tick writes.
        self.result = self._keep(self._pool.take(None) if result is None else result)

    def new_result(self) -> TickResult:
        """Let the next tick write its result to memory of its own, and return that."""
        return self._keep(self._pool.take(self.result))

    def _keep(self, result: TickResult) -> TickResult:
        self.result = result
        self.address[_RESULT_ADDRESS] = result.address
        return result


def _program_numbers(programs: CircuitPrograms) -> Iterable[int]:
    step, look, _ = programs
    yield from (step.facts, step.moves, look.terminal)
    for rules in programs:
        yield from (rules.program.width, rules.program.address)


# ---- in compiled code


@compile_kernel(nogil=True)
def open_seats(handle):
    """Return the SeatTables of a match."""
    e = _SEATS
    return SeatTables(
        int_line(handle, e),
        int_line(handle, e + 1),
        word_line(handle, e + 2),
        word_line(handle, e + 3),
        word_line(handle, e + 4),
        words(handle, e + 5),
        long_line(handle, e + 6),
    )


@compile_kernel(nogil=True)
def open_lanes(handle):
    """Return the LaneArrays of a match."""
    e = _LANES
    return LaneArrays(
        words(handle, e),
        words(handle, e + 1),
        words(handle, e + 2),
        words(handle, e + 3),
        flags(handle, e + 4),
        flags(handle, e + 5),
        flag_line(handle, e + 6),
        long_line(handle, e + 7),
        long_line(handle, e + 8),
        long_line(handle, e + 9),
        long_line(handle, e + 10),
        flag_line(handle, e + 11),
        flag_line(handle, e + 12),
    )


@compile_kernel(nogil=True)
def open_scratch(handle):
    """Return the Scratch of a match."""
    e = _SCRATCH
    return Scratch(
        int_line(handle, e),
        int_line(handle, e + 1),
        int_line(handle, e + 2),
        ints(handle, e + 3),
        ints(handle, e + 4),
        ints(handle, e + 5),
        word_line(handle, e + 6),
    )


@compile_kernel(nogil=True)
def open_views(handle):
    """Return the ViewTables of a match on the circuit engine."""
    e = _VIEWS
    return ViewTables(
        int_line(handle, e),
        int_line(handle, e + 1),
        int_line(handle, e + 2),
        long_line(handle, e + 3),
    )


@compile_kernel(nogil=True)
def open_draws(handle):
    """Return the DrawTables of a match on the circuit engine."""
    e = _DRAWS
    return DrawTables(
        int_line(handle, e),
        int_line(handle, e + 1),
        int_line(handle, e + 2),
        int_line(handle, e + 3),
        int_line(handle, e + 4),
        int_line(handle, e + 5),
        int_line(handle, e + 6),
        int_line(handle, e + 7),
    )


@compile_kernel(nogil=True)
def open_goals(handle):
    """Return the GoalTables of a match on the circuit engine."""
    return GoalTables(int_line(handle, _GOALS), int_line(handle, _GOALS + 1))


@compile_kernel(nogil=True)
def _open_program(handle, index):
    numbers = long_line(handle, _NUMBERS)
    e = _PROGRAMS + 4 * index
    return Program(
        number_line(handle, e),
        ints(handle, e + 1),
        ints(handle, e + 2),
        word_line(handle, e + 3),
        numbers[3 + 2 * index],
        numbers[4 + 2 * index],
    )


@compile_kernel(nogil=True)
def open_step_rules(handle):
    """Return the StepRules of a match on the circuit engine."""
    numbers = long_line(handle, _NUMBERS)
    return StepRules(
        _open_program(handle, 0),
        numbers[0],
        numbers[1],
        int_line(handle, _SLOTS),
        int_line(handle, _SLOTS + 1),
        int_line(handle, _SLOTS + 7),
    )


@compile_kernel(nogil=True)
def open_look_rules(handle):
    """Return the LookRules of a match on the circuit engine: legal moves in the order of seats."""
    numbers = long_line(handle, _NUMBERS)
    return LookRules(
        _open_program(handle, 1),
        numbers[2],
        int_line(handle, _SLOTS + 2),
        int_line(handle, _SLOTS + 3),
        int_line(handle, _SLOTS + 4),
        int_line(handle, _SLOTS + 8),
    )


@compile_kernel(nogil=True)
def open_score_rules(handle):
    """Return the ScoreRules of a match on the circuit engine."""
    return ScoreRules(
        _open_program(handle, 2),
        int_line(handle, _SLOTS + 5),
        int_line(handle, _SLOTS + 6),
        int_line(handle, _SLOTS + 9),
    )


@compile_kernel(nogil=True)
def open_result(handle):
    """Return the ResultArrays that the current tick fills in."""
    lanes = open_lanes(handle)
    offsets, numbers = long_line(handle, _OFFSETS), long_line(handle, _NUMBERS)
    blocks = numbers[_BLOCKS]
    players, count = lanes.decides.shape
    base = handle[_RESULT_ADDRESS]
    return ResultArrays(
        carray(_at(base, offsets[0]), (players + 1, count), np.bool_),
        carray(_at(base, offsets[1]), (players, count), np.int32),
        carray(_at(base, offsets[2]), count, np.bool_),
        carray(_at(base, offsets[3]), count, np.bool_),
        carray(_at(base, offsets[4]), (players, count), np.int16),
        carray(_at(base, offsets[5]), (count, lanes.states.shape[1]), np.uint64),
        carray(_at(base, offsets[6]), (count, lanes.seen.shape[1]), np.uint64),
        carray(_at(base, offsets[7]), (blocks, numbers[0] * numbers[3]), np.uint64),
        carray(_at(base, offsets[8]), (blocks, numbers[3]), np.uint64),
    )


@compile_kernel(nogil=True)
def _at(base, offset):
    return pointer_at(np.uintp(base) + np.uintp(offset))
