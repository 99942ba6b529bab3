"""Gates → machine code.

The first slots of memory belong to constants, inputs and what cycles feed back; other values get
one when registers do not suffice.
"""

from __future__ import annotations

import numpy as np

from gdl_env.engine.circuit import x86
from gdl_env.engine.circuit.native_registers import (
    COMING,
    CYCLE,
    DIRTY,
    GATE,
    HELD,
    HOME,
    NEVER,
    REGISTER,
    SPARE,
    SPARES,
    fetch,
    flush,
    is_better_in_memory,
    offset,
    release,
    take,
)
from gdl_env.engine.compiling import compile_kernel

_AND, _OR, _XOR, _FIRST_ONLY, _SECOND_ONLY = 0xC0, 0xFC, 0x3C, 0x30, 0x0C


@compile_kernel()
def assemble_gates(gates, uses, values, base, cycles, feedback, wide, program):
    """Append the code of all gates; return the number of slots.

    `values` are those of `native_registers`, with homes for the first `base` ones, among which
    the last are what cycles feed back; other homes are filled in.
    """
    count = gates.shape[0]
    registers = np.full((32 if wide else 16, 3), -1, np.int64)
    meta = np.array([0, base, 0, 0], np.int64)
    first, start = 0, 0
    for k in range(count):
        loop = cycles[gates[k, 4]]
        meta[GATE] = k
        if k == 0 or gates[k, 4] != gates[k - 1, 4]:
            if loop or meta[CYCLE]:
                flush(values, registers, meta, wide, program)
            meta[CYCLE] = loop
            first = k
            if loop:
                start = _begin_cycle(feedback, loop, base, wide, program)
        _gate(values, registers, meta, gates[k], uses[k], base + k, wide, program)
        for side in range(1, 4):
            value = gates[k, side]
            if value < 0 or uses[k, side] != NEVER:
                continue
            if values[value, REGISTER] >= 0:
                release(values, registers, values[value, REGISTER])
            # A cycle reads what was there before it again and again.
            if values[value, HOME] >= base and (not loop or value - base >= first):
                values[meta[SPARES], SPARE] = values[value, HOME]
                meta[SPARES] += 1
                values[value, HOME] = -1
        if loop and (k + 1 == count or gates[k + 1, 4] != gates[k, 4]):
            flush(values, registers, meta, wide, program)
            _end_cycle(feedback, loop, base, values, start, wide, program)
    meta[GATE] = count
    meta[CYCLE] = 0
    flush(values, registers, meta, wide, program)
    return meta[1]


@compile_kernel()
def _begin_cycle(feedback, loop, base, wide, program):
    """Clear what is fed back; return the start of the cycle."""
    x86.operate(program, x86.XOR, 0, 0, 0, 0)
    for j in range(feedback.shape[0]):
        if feedback[j, 0] == loop:
            slot = base - feedback.shape[0] + j
            x86.store(program, 0, x86.RDI, offset(slot, wide))
    return program[0, 0]


@compile_kernel()
def _end_cycle(feedback, loop, base, values, start, wide, program):
    """Feed results back, and jump to the start if anything changed."""
    x86.operate(program, x86.XOR, 0, 0, 0, 0)
    for j in range(feedback.shape[0]):
        if feedback[j, 0] == loop:
            place = offset(base - feedback.shape[0] + j, wide)
            x86.load(program, 1, x86.RDI, offset(values[feedback[j, 1], HOME], wide))
            x86.operate(program, x86.XOR, 2, 1, x86.RDI, place)
            x86.operate(program, x86.OR, 0, 0, 2, 0)
            x86.store(program, 1, x86.RDI, place)
    x86.jump_if_any(program, wide, 0, start)


@compile_kernel()
def _gate(values, registers, meta, gate, use, value, wide, program):
    """Append a gate; its result is in a register then."""
    table = gate[0]
    kept = np.int64(0)
    # What is in registers already must stay there.
    for side in range(1, 4):
        if gate[side] >= 0 and values[gate[side], REGISTER] >= 0:
            r = values[gate[side], REGISTER]
            kept |= np.int64(1) << r
            registers[r, COMING] = use[side]
    if gate[3] < 0 and table in (_AND, _OR, _XOR, _FIRST_ONLY, _SECOND_ONLY):
        target = _plain(values, registers, meta, gate, use, kept, wide, program)
    else:
        target = _ternary(values, registers, meta, gate, use, kept, wide, program)
    release(values, registers, target)
    registers[target, HELD] = value
    registers[target, COMING] = use[0]
    registers[target, DIRTY] = 1
    values[value, REGISTER] = target


@compile_kernel()
def _plain(values, registers, meta, gate, use, kept, wide, program):
    """Append a gate of two values; return the register of its result."""
    table = gate[0]
    # Only the second operand may be in memory; ANDNOT inverts the first.
    a, b = 1, 2
    if table == _FIRST_ONLY or (
        table != _SECOND_ONLY and values[gate[1], REGISTER] < 0 and values[gate[2], REGISTER] >= 0
    ):
        a, b = 2, 1
    operation = x86.ANDNOT
    if table == _AND:
        operation = x86.AND
    elif table == _OR:
        operation = x86.OR
    elif table == _XOR:
        operation = x86.XOR
    first = fetch(values, registers, meta, gate[a], use[a], kept, wide, program)
    kept |= np.int64(1) << first
    second, place = np.int64(x86.RDI), np.int64(0)
    if is_better_in_memory(values, registers, gate[b], use[b], kept):
        place = offset(values[gate[b], HOME], wide)
    else:
        second = fetch(values, registers, meta, gate[b], use[b], kept, wide, program)
        kept |= np.int64(1) << second
    if use[a] == NEVER:
        target = first
    elif second >= 0 and use[b] == NEVER:
        target = second
    else:
        target = take(values, registers, meta, kept, wide, program)
    x86.operate(program, operation, target, first, second, place)
    return target


@compile_kernel()
def _ternary(values, registers, meta, gate, use, kept, wide, program):
    """Append any gate of up to three values; return the register of its result."""
    sides = 1 + (gate[2] >= 0) + (gate[3] >= 0)
    # The result replaces an operand: one that is not used again, or is read from memory anyway.
    a, rank = 1, 0
    for side in range(1, sides + 1):
        is_here = values[gate[side], REGISTER] >= 0
        worth = 3 if is_here and use[side] == NEVER else 1 if is_here else 2
        if worth > rank:
            a, rank = side, worth
    b, c = 0, 0
    for side in range(1, sides + 1):
        if side == a:
            continue
        if b == 0 or values[gate[b], REGISTER] < 0:
            b, c = side, b
        else:
            c = side
    second, third, place = np.int64(-1), np.int64(-1), np.int64(0)
    if b:
        second = fetch(values, registers, meta, gate[b], use[b], kept, wide, program)
        kept |= np.int64(1) << second
    in_memory = c > 0 and is_better_in_memory(values, registers, gate[c], use[c], kept)
    if in_memory:
        place = offset(values[gate[c], HOME], wide)
    elif c:
        third = fetch(values, registers, meta, gate[c], use[c], kept, wide, program)
        kept |= np.int64(1) << third
    target = values[gate[a], REGISTER]
    if rank < 3:
        source = target
        target = take(values, registers, meta, kept, wide, program)
        if rank == 2:
            x86.load(program, target, x86.RDI, offset(values[gate[a], HOME], wide))
        else:
            x86.move(program, target, source)
    if second < 0:
        second = target
    if third < 0:
        third = x86.RDI if in_memory else second
    x86.ternary(program, _permuted(gate[0], a, b, c), target, second, third, place)
    return target


@compile_kernel()
def _permuted(table, a, b, c):
    """Return a truth table for operands in another order; 0 is an operand that does not matter."""
    result = 0
    for row in range(8):
        index = ((row >> 2) & 1) << (3 - a)
        if b:
            index |= ((row >> 1) & 1) << (3 - b)
        if c:
            index |= (row & 1) << (3 - c)
        result |= ((table >> index) & 1) << row
    return result
