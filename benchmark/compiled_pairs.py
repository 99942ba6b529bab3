"""Do and undo in compiled code, as a search that is compiled itself would call them."""

from __future__ import annotations

from numba import njit

from gdl_env.engine.circuit.events import do, undo


@njit
def try_all(gates, memory, facts, after, steps):  # type: ignore[no-untyped-def]
    """Play each step (a row of moves) and take it back."""
    values, start, uses, dirty, trail, count = memory
    for row in range(steps.shape[0]):
        end = do(gates, values, start, uses, dirty, trail, count, facts, after, steps[row])
        undo(values, trail, end, count)
