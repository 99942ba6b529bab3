"""Machine code for whole rows: random words, and copies."""

from __future__ import annotations

from gdl_env.compiling import compile_kernel
from gdl_env.engine.circuit.native import x86
from gdl_env.engine.circuit.native.registers import offset


def assemble_random(first, rows, wide, listing):
    """Append xoshiro256++, one generator a column, whose state RSI points to."""
    size = 64 if wide else 32
    if not rows:
        return
    for k in range(4):
        x86.load(listing, k, x86.RSI, k * size)
    for row in range(rows):
        x86.operate(listing, x86.ADD, 4, 0, 3, 0)
        x86.rotate_left(listing, wide, 4, 4, 23, 5)
        x86.operate(listing, x86.ADD, 4, 4, 0, 0)
        x86.store(listing, 4, x86.RDI, offset(first + row, wide))
        x86.shift_left(listing, 5, 1, 17)
        x86.operate(listing, x86.XOR, 2, 2, 0, 0)
        x86.operate(listing, x86.XOR, 3, 3, 1, 0)
        x86.operate(listing, x86.XOR, 1, 1, 2, 0)
        x86.operate(listing, x86.XOR, 0, 0, 3, 0)
        x86.operate(listing, x86.XOR, 2, 2, 5, 0)
        x86.rotate_left(listing, wide, 3, 3, 45, 5)
    for k in range(4):
        x86.store(listing, k, x86.RSI, k * size)


@compile_kernel()
def assemble_copies(targets, sources, slots, wide, listing):
    """Append copies as if made at once; return the number of slots with those in between."""
    low, high = targets[0] if len(targets) else 0, targets[-1] if len(targets) else 0
    begin = slots
    for early in (True, False):
        for k in range(len(targets)):
            is_risky = low <= sources[k] <= high
            if sources[k] == targets[k] or (early and not is_risky):
                continue
            source = sources[k]
            target = targets[k]
            if is_risky and early:
                target = slots
                slots += 1
            elif is_risky:
                source = begin
                begin += 1
            x86.load(listing, k & 7, x86.RDI, offset(source, wide))
            x86.store(listing, k & 7, x86.RDI, offset(target, wide))
    return slots
