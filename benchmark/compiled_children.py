"""All children of one state after the other, as a search that is compiled itself would ask."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import njit
import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.successor_kernels import follow_states


class Room(NamedTuple):
    """Where results go; see `follow_states`."""

    found: NDArray[Any]
    starts: NDArray[Any]
    terminal: NDArray[Any]
    goals: NDArray[Any]


def make_room(rules: CircuitBatch, count: int) -> Room:
    """Return room for this many children."""
    roles = len(rules.roles)
    return Room(
        np.zeros((count, rules.initial.shape[1]), np.uint64),
        np.zeros((count, roles + 1), np.int64),
        np.zeros(count, np.bool_),
        np.zeros((count, roles), np.int16),
    )


@njit
def follow_each(tables, states, cuts, zeros, does, room):  # type: ignore[no-untyped-def]
    """Make the children of each state, whose moves lie from one cut to the next."""
    for k in range(states.shape[0]):
        low, high = cuts[k], cuts[k + 1]
        follow_states(
            tables,
            states[k : k + 1],
            zeros[: high - low],
            does[low:high],
            room.found[low:high],
            room.starts[low:high],
            room.terminal[low:high],
            room.goals[low:high],
        )
