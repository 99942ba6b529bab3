"""Tapes → machine code in executable memory."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.layout import FIRST_INPUT, input_row
from gdl_env.engine.circuit.native import x86
from gdl_env.engine.circuit.native.code import assemble_gates
from gdl_env.engine.circuit.native.cuts import three_input_gates
from gdl_env.engine.circuit.native.registers import (
    FREE_BEHIND,
    HOME,
    OWNER,
    bias,
    make_assembler,
)
from gdl_env.engine.circuit.native.rows import assemble_copies, assemble_random
from gdl_env.engine.circuit.native.uses import last_uses, next_uses
from gdl_env.engine.circuit.native.values import order_gates, renumber, value_gates
from gdl_env.engine.circuit.tape.columns import FED_LOOP
from gdl_env.engine.circuit.tape.tape import Tape
from gdl_env.engine.circuit.verifier import is_verifying, verify_machine_gates

# Words in a register.
WIDTHS = {'avx2': 4, 'avx512': 8}


@dataclass(frozen=True)
class Machine:
    """Machine code for a tape: `run(data, generator)` and `advance(data)` by their addresses.

    Memory is `slots` rows of `width` words; constants and inputs lie where the tape has them.
    """

    # Words in a row.
    width: int
    run: int
    # Copies the state after the step to where the inputs are; 0 without one.
    advance: int
    slots: int
    # int32, for each group the slot of each output; not those of the tape.
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
    base = input_row(tape.inputs) + len(tape.feedback)
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
    feedback = np.stack([tape.feedback[:, FED_LOOP], results], axis=1)
    if is_verifying():
        verify_machine_gates(gates, base, cycles, feedback, outputs)
    cuts = np.cumsum([len(group) for group in tape.outputs])[:-1]
    groups = np.split(outputs, cuts)
    state = groups[after] if after >= 0 else np.zeros(0, np.int32)
    targets = np.arange(FIRST_INPUT, input_row(len(state)), dtype=np.int32)
    listing = x86.make_listing(len(gates), random + len(state) + len(feedback))
    assembler = make_assembler(base + len(gates), base, listing, wide)
    values = assembler.values
    if in_place:
        rows = np.flatnonzero(state >= base)
        last = last_uses(gates, outputs, input_row(len(state)))
        values[state[rows], OWNER] = targets[rows]
        values[state[rows], FREE_BEHIND] = last[targets[rows]]
    x86.enter(listing, bias(wide))
    assemble_random(input_row(tape.inputs - random), random, wide, listing)
    uses = next_uses(gates, base, cycles, feedback, outputs)
    slots = assemble_gates(assembler, gates, uses, base, cycles, feedback)
    home = values[:, HOME].astype(np.int32)
    x86.leave(listing)
    advance = int(listing.size[0])
    x86.enter(listing, bias(wide))
    slots = assemble_copies(targets, home[state], slots, wide, listing)
    x86.leave(listing)
    code, starts = x86.encode(listing, wide)
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
