"""Tapes → machine code in executable memory."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit import x86
from gdl_env.engine.circuit.native_code import assemble_gates
from gdl_env.engine.circuit.native_cuts import three_input_gates
from gdl_env.engine.circuit.native_registers import FREE_BEHIND, HOME, OWNER, bias
from gdl_env.engine.circuit.native_rows import assemble_copies, assemble_random
from gdl_env.engine.circuit.native_uses import last_uses, next_uses
from gdl_env.engine.circuit.native_values import order_gates, renumber, value_gates
from gdl_env.engine.circuit.tape import Tape

# Words in a register.
WIDTHS = {'avx2': 4, 'avx512': 8}


@dataclass(frozen=True)
class Machine:
    """Machine code for a tape: `run(data, generator)` and `advance(data)` by their addresses.

    Memory is `slots` rows of `width` words; constants and inputs lie where the tape has them.
    """

    width: int
    run: int
    # Copies the state after the step to where the inputs are; 0 without one.
    advance: int
    slots: int
    outputs: tuple[NDArray[np.int32], ...]
    # Executable as long as this lives.
    code: Any


def assemble(
    tape: Tape, variant: str, random: int = 0, after: int = -1, in_place: bool = False
) -> Machine:
    """Assemble a tape, whose last `random` inputs are random rows; OSError if that is refused.

    `after` is the group of outputs that are the next state. With `in_place` they may take the
    places of inputs that are not read any more.
    """
    wide = variant == 'avx512'
    base = 2 + tape.inputs + len(tape.feedback)
    loops = np.zeros(len(tape.operations), np.int32)
    for _, first, end, loop in tape.runs:
        loops[first:end] = loop
    gates, cycles, results, current = value_gates(
        tape.operations, loops, tape.feedback, tape.inputs, tape.slots
    )
    outputs = current[np.concatenate([*tape.outputs, np.zeros(0, np.int32)])]
    needed = np.zeros(base + len(gates), np.bool_)
    needed[outputs] = True
    needed[results[results >= 0]] = True
    if wide:
        gates = three_input_gates(gates, base, needed)
    order = order_gates(gates, base, needed)
    gates, renamed = renumber(gates, order, base, np.concatenate([outputs, results]))
    outputs, results = renamed[: len(outputs)], renamed[len(outputs) :]
    feedback = np.stack([tape.feedback[:, 0], results], axis=1)
    cuts = np.cumsum([len(group) for group in tape.outputs])[:-1]
    groups = np.split(outputs, cuts)
    values = np.full((base + len(gates) + 1, 5), -1, np.int64)
    values[:base, HOME] = np.arange(base)
    state = groups[after] if after >= 0 else np.zeros(0, np.int32)
    if in_place:
        rows = np.flatnonzero(state >= base)
        values[state[rows], OWNER] = 2 + rows
        values[state[rows], FREE_BEHIND] = last_uses(gates, outputs, 2 + len(state))[2 + rows]
    program = x86.make_program(len(gates), random + len(state) + len(feedback))
    x86.enter(program, bias(wide))
    assemble_random(2 + tape.inputs - random, random, wide, program)
    uses = next_uses(gates, base, cycles, feedback, outputs)
    slots = assemble_gates(gates, uses, values, base, cycles, feedback, wide, program)
    home = values[:, HOME].astype(np.int32)
    x86.leave(program)
    advance = program[0, 0]
    x86.enter(program, bias(wide))
    targets = np.arange(2, 2 + len(state), dtype=np.int32)
    slots = assemble_copies(targets, home[state], slots, wide, program)
    x86.leave(program)
    code, starts = x86.encode(program, wide)
    memory, address = _executable(code.tobytes())
    return Machine(
        WIDTHS[variant],
        address,
        address + int(starts[advance]),
        int(slots),
        tuple(home[group] for group in groups),
        memory,
    )


def _executable(code: bytes) -> tuple[mmap.mmap, int]:
    memory = mmap.mmap(-1, len(code))
    memory.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    # Never writable and executable at once: hardened systems refuse that.
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    if protect(address, len(code), mmap.PROT_READ | mmap.PROT_EXEC):
        raise OSError(ctypes.get_errno(), 'memory cannot be made executable')
    return memory, address


def make_rows(slots: int, width: int) -> NDArray[np.uint64]:
    """Return memory for slots: aligned, zero but for the row of ones."""
    room = np.zeros(slots * width + 8, np.uint64)
    first = (-room.ctypes.data // 8) % 8
    data = room[first : first + slots * width]
    data[width : 2 * width] = ~np.uint64(0)
    return data
