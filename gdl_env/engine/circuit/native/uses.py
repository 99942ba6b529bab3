"""When values are used next, and for the last time."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.circuit.native.registers import NEVER
from gdl_env.engine.circuit.native.values import FIRST, SECTION, THIRD

# Columns of uses: when the result of a gate is used next; those of operands are FIRST to THIRD.
RESULT = 0
# Columns of what cycles feed back: the cycle, and the value that is fed back (-1 where the cycle
# has no gates).
FED_LOOP, FED_VALUE = range(2)


@compile_kernel()
def next_uses(gates, base, cycles, feedback, outputs):
    """Return when the operands and the result of each gate are used next.

    Gate k uses at 2k; a cycle that ends behind it uses what it feeds back at 2k + 1.
    """
    count = gates.shape[0]
    coming = np.full(base + count, NEVER, np.int64)
    for value in outputs:
        coming[value] = NEVER - 1
    uses = np.full((count, 4), NEVER, np.int64)
    for k in range(count - 1, -1, -1):
        loop = cycles[gates[k, SECTION]]
        if loop and (k + 1 == count or gates[k + 1, SECTION] != gates[k, SECTION]):
            for j in range(feedback.shape[0]):
                if feedback[j, FED_LOOP] == loop and feedback[j, FED_VALUE] >= 0:
                    coming[feedback[j, FED_VALUE]] = 2 * k + 1
        uses[k, RESULT] = coming[base + k]
        for side in range(FIRST, THIRD + 1):
            if gates[k, side] >= 0:
                uses[k, side] = coming[gates[k, side]]
        for side in range(FIRST, THIRD + 1):
            if gates[k, side] >= 0:
                coming[gates[k, side]] = 2 * k
    return uses


@compile_kernel()
def last_uses(gates, outputs, values):
    """Return when each of the first values is used for the last time (-1: not at all)."""
    last = np.full(values, -1, np.int64)
    for k in range(gates.shape[0]):
        for side in range(FIRST, THIRD + 1):
            if 0 <= gates[k, side] < values:
                last[gates[k, side]] = k
    for value in outputs:
        if value < values:
            last[value] = NEVER
    return last
