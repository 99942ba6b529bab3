"""Registers as a cache of values: which value is in which register, and what is stored where.

The value whose next use is furthest away makes room (Belady), and is stored only if it is used
again. Values get a slot of memory when they are stored for the first time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel
from gdl_env.engine.circuit.native import x86

NEVER = 1 << 40

# Columns of `values`, of `registers`, and places in `meta`.
REGISTER, HOME, OWNER, FREE_BEHIND, SPARE = range(5)
HELD, COMING, DIRTY = range(3)
SPARES, SLOTS, GATE, CYCLE = range(4)


class Assembler(NamedTuple):
    """Values, registers and the instructions so far.

    Arrays of several columns keep their number small, and with it the time to compile the
    functions that hand them to each other.
    """

    # int64, shape (values + 1, 5): the register (REGISTER) and the slot (HOME) of each value, -1
    # for none; an input whose slot it may take (OWNER, -1 for none), and the gate behind which
    # that is free (FREE_BEHIND). Apart from values, column SPARE is the stack of spare slots.
    values: NDArray[np.int64]
    # int64, shape (16 or 32, 3): the value that a register holds (HELD, -1 for none), when that
    # is used next (COMING), and whether memory does not have it yet (DIRTY).
    registers: NDArray[np.int64]
    # int64, shape (4): the number of spare slots (SPARES) and of all (SLOTS), the gate at work
    # (GATE), and the cycle that it belongs to (CYCLE, 0 for none).
    meta: NDArray[np.int64]
    # The instructions so far.
    listing: x86.Listing
    # Whether registers are those of AVX-512.
    wide: bool


def make_assembler(values: int, base: int, listing: x86.Listing, wide: bool) -> Assembler:
    """Return an assembler with empty registers; the first `base` values are in their slots."""
    table = np.full((values + 1, 5), -1, np.int64)
    table[:base, HOME] = np.arange(base)
    registers = np.full((32 if wide else 16, 3), -1, np.int64)
    return Assembler(table, registers, np.array([0, base, 0, 0], np.int64), listing, wide)


@compile_kernel()
def bias(wide):
    """Return how far into the memory RDI points, so that many slots are near it."""
    return 128 * 64 if wide else 128


@compile_kernel()
def offset(slot, wide):
    """Return where a slot is, seen from RDI."""
    return slot * (64 if wide else 32) - bias(wide)


@compile_kernel()
def clean(assembler, r):
    """Store a register if its value is needed and nowhere else."""
    values, registers, meta = assembler.values, assembler.registers, assembler.meta
    if not registers[r, DIRTY] or registers[r, COMING] == NEVER:
        return
    value = registers[r, HELD]
    if values[value, HOME] < 0:
        owner = values[value, OWNER]
        if owner >= 0 and values[value, FREE_BEHIND] < meta[GATE] and not meta[CYCLE]:
            values[value, HOME] = owner
        elif meta[SPARES]:
            meta[SPARES] -= 1
            values[value, HOME] = values[meta[SPARES], SPARE]
        else:
            values[value, HOME] = meta[SLOTS]
            meta[SLOTS] += 1
    x86.store(assembler.listing, r, x86.RDI, offset(values[value, HOME], assembler.wide))
    registers[r, DIRTY] = 0


@compile_kernel()
def release(assembler, r):
    """Forget what a register holds."""
    held = assembler.registers[r, HELD]
    if held >= 0:
        assembler.values[held, REGISTER] = -1
        assembler.registers[r, HELD] = -1


@compile_kernel()
def flush(assembler):
    """Empty all registers."""
    for r in range(assembler.registers.shape[0]):
        if assembler.registers[r, HELD] >= 0:
            clean(assembler, r)
            release(assembler, r)


@compile_kernel()
def _furthest(registers, kept):
    """Return a free register, or the one that is used last, but none that is kept."""
    best = -1
    for r in range(registers.shape[0]):
        if (kept >> r) & 1:
            continue
        if registers[r, HELD] < 0:
            return r
        if best < 0 or registers[r, COMING] > registers[best, COMING]:
            best = r
    return best


@compile_kernel()
def take(assembler, kept):
    """Empty a register, but none of those kept; return it."""
    r = _furthest(assembler.registers, kept)
    if assembler.registers[r, HELD] >= 0:
        clean(assembler, r)
        release(assembler, r)
    return r


@compile_kernel()
def fetch(assembler, value, use, kept):
    """Return the register of a value, which is loaded if need be."""
    values, registers = assembler.values, assembler.registers
    r = values[value, REGISTER]
    if r < 0:
        r = take(assembler, kept)
        x86.load(assembler.listing, r, x86.RDI, offset(values[value, HOME], assembler.wide))
        values[value, REGISTER] = r
        registers[r, HELD] = value
        registers[r, DIRTY] = 0
    registers[r, COMING] = use
    return r


@compile_kernel()
def is_better_in_memory(assembler, value, use, kept):
    """Tell whether a value should be read from memory by the instruction that uses it."""
    registers = assembler.registers
    if assembler.values[value, REGISTER] >= 0:
        return False
    r = _furthest(registers, kept)
    return use == NEVER or (registers[r, HELD] >= 0 and registers[r, COMING] < use)
