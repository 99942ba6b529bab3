"""Gates → machine code.

The first slots of memory belong to constants, inputs and what cycles feed back; other values get
one when there are too few registers.
"""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.circuit.native import x86
from gdl_env.engine.circuit.native.registers import (
    COMING,
    CYCLE,
    DIRTY,
    GATE,
    HELD,
    HOME,
    NEVER,
    REGISTER,
    SLOTS,
    SPARE,
    SPARES,
    fetch,
    flush,
    is_better_in_memory,
    offset,
    release,
    take,
)
from gdl_env.engine.circuit.native.uses import FED_LOOP, FED_VALUE, RESULT
from gdl_env.engine.circuit.native.values import FIRST, SECOND, SECTION, TABLE, THIRD

_AND, _OR, _XOR, _FIRST_ONLY, _SECOND_ONLY = 0xC0, 0xFC, 0x3C, 0x30, 0x0C


@compile_kernel()
def assemble_gates(assembler, gates, uses, base, cycles, feedback):
    """Append the code of all gates; return the number of slots.

    The first `base` values have homes; the last of these are what cycles feed back. Homes of
    other values that are stored are filled in.
    """
    values, meta = assembler.values, assembler.meta
    count = gates.shape[0]
    first, start = 0, 0
    for k in range(count):
        loop = cycles[gates[k, SECTION]]
        meta[GATE] = k
        if k == 0 or gates[k, SECTION] != gates[k - 1, SECTION]:
            if loop or meta[CYCLE]:
                flush(assembler)
            meta[CYCLE] = loop
            first = k
            if loop:
                start = _begin_cycle(assembler, feedback, loop, base)
        _gate(assembler, gates[k], uses[k], base + k)
        for side in range(FIRST, THIRD + 1):
            value = gates[k, side]
            if value < 0 or uses[k, side] != NEVER:
                continue
            if values[value, REGISTER] >= 0:
                release(assembler, values[value, REGISTER])
            # A cycle reads what was there before it again and again.
            if values[value, HOME] >= base and (not loop or value - base >= first):
                values[meta[SPARES], SPARE] = values[value, HOME]
                meta[SPARES] += 1
                values[value, HOME] = -1
        if loop and (k + 1 == count or gates[k + 1, SECTION] != gates[k, SECTION]):
            flush(assembler)
            _end_cycle(assembler, feedback, loop, base, start)
    meta[GATE] = count
    meta[CYCLE] = 0
    flush(assembler)
    return meta[SLOTS]


@compile_kernel()
def _begin_cycle(assembler, feedback, loop, base):
    """Clear what is fed back; return the start of the cycle."""
    listing = assembler.listing
    x86.operate(listing, x86.XOR, 0, 0, 0, 0)
    for j in range(feedback.shape[0]):
        if feedback[j, FED_LOOP] == loop:
            slot = base - feedback.shape[0] + j
            x86.store(listing, 0, x86.RDI, offset(slot, assembler.wide))
    return listing.size[0]


@compile_kernel()
def _end_cycle(assembler, feedback, loop, base, start):
    """Feed results back, and jump to the start if anything changed."""
    listing, wide = assembler.listing, assembler.wide
    x86.operate(listing, x86.XOR, 0, 0, 0, 0)
    for j in range(feedback.shape[0]):
        if feedback[j, FED_LOOP] == loop:
            place = offset(base - feedback.shape[0] + j, wide)
            home = assembler.values[feedback[j, FED_VALUE], HOME]
            x86.load(listing, 1, x86.RDI, offset(home, wide))
            x86.operate(listing, x86.XOR, 2, 1, x86.RDI, place)
            x86.operate(listing, x86.OR, 0, 0, 2, 0)
            x86.store(listing, 1, x86.RDI, place)
    x86.jump_if_any(listing, wide, 0, start)


@compile_kernel()
def _gate(assembler, gate, use, value):
    """Append a gate; its result is in a register then."""
    values, registers = assembler.values, assembler.registers
    table = gate[TABLE]
    kept = np.int64(0)
    # What is in registers already must stay there.
    for side in range(FIRST, THIRD + 1):
        if gate[side] >= 0 and values[gate[side], REGISTER] >= 0:
            r = values[gate[side], REGISTER]
            kept |= np.int64(1) << r
            registers[r, COMING] = use[side]
    if gate[THIRD] < 0 and table in (_AND, _OR, _XOR, _FIRST_ONLY, _SECOND_ONLY):
        target = _plain(assembler, gate, use, kept)
    else:
        target = _ternary(assembler, gate, use, kept)
    release(assembler, target)
    registers[target, HELD] = value
    registers[target, COMING] = use[RESULT]
    registers[target, DIRTY] = 1
    values[value, REGISTER] = target


@compile_kernel()
def _plain(assembler, gate, use, kept):
    """Append a gate of two values; return the register of its result."""
    values = assembler.values
    table = gate[TABLE]
    # Only the second operand may be in memory; ANDNOT inverts the first.
    a, b = FIRST, SECOND
    if table == _FIRST_ONLY or (
        table != _SECOND_ONLY
        and values[gate[FIRST], REGISTER] < 0
        and values[gate[SECOND], REGISTER] >= 0
    ):
        a, b = SECOND, FIRST
    operation = x86.ANDNOT
    if table == _AND:
        operation = x86.AND
    elif table == _OR:
        operation = x86.OR
    elif table == _XOR:
        operation = x86.XOR
    first = fetch(assembler, gate[a], use[a], kept)
    kept |= np.int64(1) << first
    second, place = np.int64(x86.RDI), np.int64(0)
    if is_better_in_memory(assembler, gate[b], use[b], kept):
        place = offset(values[gate[b], HOME], assembler.wide)
    else:
        second = fetch(assembler, gate[b], use[b], kept)
        kept |= np.int64(1) << second
    if use[a] == NEVER:
        target = first
    elif second >= 0 and use[b] == NEVER:
        target = second
    else:
        target = take(assembler, kept)
    x86.operate(assembler.listing, operation, target, first, second, place)
    return target


@compile_kernel()
def _ternary(assembler, gate, use, kept):
    """Append any gate of up to three values; return the register of its result."""
    values, listing = assembler.values, assembler.listing
    sides = 1 + (gate[SECOND] >= 0) + (gate[THIRD] >= 0)
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
        second = fetch(assembler, gate[b], use[b], kept)
        kept |= np.int64(1) << second
    in_memory = c > 0 and is_better_in_memory(assembler, gate[c], use[c], kept)
    if in_memory:
        place = offset(values[gate[c], HOME], assembler.wide)
    elif c:
        third = fetch(assembler, gate[c], use[c], kept)
        kept |= np.int64(1) << third
    target = values[gate[a], REGISTER]
    if rank < 3:
        source = target
        target = take(assembler, kept)
        if rank == 2:
            x86.load(listing, target, x86.RDI, offset(values[gate[a], HOME], assembler.wide))
        else:
            x86.move(listing, target, source)
    if second < 0:
        second = target
    if third < 0:
        third = x86.RDI if in_memory else second
    x86.ternary(listing, _permuted(gate[TABLE], a, b, c), target, second, third, place)
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
