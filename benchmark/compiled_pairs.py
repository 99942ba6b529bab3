"""Do and undo in compiled code, as a search that is compiled itself would call them."""

from __future__ import annotations

from numba import njit

from gdl_env.engine.circuit.single_state.events import undo
from gdl_env.engine.circuit.single_state.single import do


@njit
def try_all(frame, learned, after, count, steps):  # type: ignore[no-untyped-def]
    """Play each step (a row of moves) and take it back."""
    for row in range(steps.shape[0]):
        undo(frame, do(frame, learned, after, count, steps[row]), count)
