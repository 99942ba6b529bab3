"""Registers as a cache of values: which value is in which register, and what is stored where.

The value whose next use is furthest away makes room (Belady), and is stored only if it is used
again. Values get a slot of memory when they are stored for the first time.

Arrays of several columns keep the number of arrays small that compiled functions hand to each
other, and with it the time to compile them. `values` has, for each value, its register and its
slot (-1: none), an input whose slot it may take (-1: none), and the gate behind which that is
free; its last column is the stack of spare slots. `registers` has what each holds (-1: nothing),
when that is used next, and whether memory does not know it yet. `meta` has the number of spare
slots, the number of slots, the gate that is at work, and the cycle that it belongs to.
"""

from __future__ import annotations

from gdl_env.engine.circuit import x86
from gdl_env.engine.compiling import compile_kernel

NEVER = 1 << 40

# Columns of `values`, of `registers`, and places in `meta`.
REGISTER, HOME, OWNER, FREE_BEHIND, SPARE = range(5)
HELD, COMING, DIRTY = range(3)
SPARES, SLOTS, GATE, CYCLE = range(4)


@compile_kernel()
def bias(wide):
    """Return how far into the memory RDI points, so that many slots are near it."""
    return 128 * 64 if wide else 128


@compile_kernel()
def offset(slot, wide):
    """Return where a slot is, seen from RDI."""
    return slot * (64 if wide else 32) - bias(wide)


@compile_kernel()
def clean(values, registers, meta, r, wide, program):
    """Store a register if its value is needed and nowhere else."""
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
    x86.store(program, r, x86.RDI, offset(values[value, HOME], wide))
    registers[r, DIRTY] = 0


@compile_kernel()
def release(values, registers, r):
    """Forget what a register holds."""
    if registers[r, HELD] >= 0:
        values[registers[r, HELD], REGISTER] = -1
        registers[r, HELD] = -1


@compile_kernel()
def flush(values, registers, meta, wide, program):
    """Empty all registers."""
    for r in range(registers.shape[0]):
        if registers[r, HELD] >= 0:
            clean(values, registers, meta, r, wide, program)
            release(values, registers, r)


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
def take(values, registers, meta, kept, wide, program):
    """Empty a register."""
    r = _furthest(registers, kept)
    if registers[r, HELD] >= 0:
        clean(values, registers, meta, r, wide, program)
        release(values, registers, r)
    return r


@compile_kernel()
def fetch(values, registers, meta, value, use, kept, wide, program):
    """Return the register of a value, which is loaded if need be."""
    r = values[value, REGISTER]
    if r < 0:
        r = take(values, registers, meta, kept, wide, program)
        x86.load(program, r, x86.RDI, offset(values[value, HOME], wide))
        values[value, REGISTER] = r
        registers[r, HELD] = value
        registers[r, DIRTY] = 0
    registers[r, COMING] = use
    return r


@compile_kernel()
def is_better_in_memory(values, registers, value, use, kept):
    """Tell whether a value should be read from memory by the instruction that uses it."""
    if values[value, REGISTER] >= 0:
        return False
    r = _furthest(registers, kept)
    return use == NEVER or (registers[r, HELD] >= 0 and registers[r, COMING] < use)
