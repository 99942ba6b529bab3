"""A program: a tape, or its machine code, together with the memory it runs on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
import weakref

import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.layout import FIRST_INPUT, make_rows
from gdl_env.engine.circuit.native.call import run_machine
from gdl_env.engine.circuit.tape.kernel import WIDE, run_one, run_wide

if TYPE_CHECKING:
    # Not in what kernels are compiled from: the compiler of games may change without them.
    from gdl_env.engine.circuit.native.machine import Machine
    from gdl_env.engine.circuit.tape.tape import Tape


class Program(NamedTuple):
    """A tape prepared to run on rows of one width.

    Compiled code takes it as it is. Threads must not share one: `data` is written.
    """

    # uint32, shape (3 · operations): target, left and right operand of each operation as offsets
    # into `data`, in words. Empty for machine code.
    places: NDArray[np.uint32]
    # int32, shape (runs, 4): (kind, first operation, end, loop) of operations of one kind; see
    # `Tape`. Empty for machine code.
    runs: NDArray[np.int32]
    # int32, shape (feedback, 3): (loop, input row, result row) of what cycles feed back.
    feedback: NDArray[np.int32]
    # uint64, shape (rows · width): the memory, laid out as `gdl_env.engine.batch.layout` says.
    data: NDArray[np.uint64]
    # Words in a row: 1 or WIDE for a tape, what a register holds for machine code.
    width: int
    # Where machine code begins; 0: there is none, the tape is run.
    address: int


def prepare_program(tape: Tape, width: int, machine: Machine | None = None) -> Program:
    """Prepare a tape, or the machine code that was made of it, with memory of its own.

    Raises ValueError for a width that neither kernel, or not this machine code, can run.
    """
    if machine is None:
        if width not in (1, WIDE):
            raise ValueError(f'tapes run on rows of 1 or {WIDE} words, not of {width}')
        data = make_rows(tape.slots, width)
        return Program(tape.places(width), tape.runs, tape.feedback, data, width, 0)
    if width != machine.width:
        raise ValueError(f'this machine code runs on rows of {machine.width} words, not {width}')
    places = np.zeros(0, np.uint32)
    # The code must stay in memory as long as a program can jump there; a record for compiled
    # code has no room for an object that owns it.
    weakref.finalize(places, _keep, machine).atexit = False
    return Program(
        places,
        tape.runs[:0],
        tape.feedback[:0],
        make_rows(machine.slots, width),
        width,
        machine.run,
    )


def empty_program(width: int) -> Program:
    """Return a program that does nothing, on the constants alone."""
    nothing = np.zeros(0, np.uint32)
    runs, feedback = np.zeros((0, 4), np.int32), np.zeros((0, 3), np.int32)
    return Program(nothing, runs, feedback, make_rows(FIRST_INPUT, width), width, 0)


def with_own_memory(program: Program) -> Program:
    """Return the same program on other memory, for another thread."""
    return program._replace(data=make_rows(len(program.data) // program.width, program.width))


def _keep(machine: Machine) -> None:
    """Hold a machine until the array that the finalizer watches is gone."""


@compile_kernel(nogil=True, makes_arrays=False)
def run_program(program):
    """Run a program once on the inputs in its memory."""
    if program.address:
        # Without random inputs the code never reads its second argument.
        run_machine(program.address, program.data, program.data)
    elif program.width == WIDE:
        run_wide(program.places, program.runs, program.feedback, program.data)
    else:
        run_one(program.places, program.runs, program.feedback, program.data)
