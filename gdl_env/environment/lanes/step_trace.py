"""Writing down a step of a lane."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.contract import Move, Role
from gdl_env.engine.interpreter import Step
from gdl_env.environment.lanes.lanes import Lanes


def trace_step(
    lanes: Lanes,
    lane: int,
    chosen: NDArray[np.int32],
    does: NDArray[np.int32],
    percepts: NDArray[np.uint64],
) -> None:
    """Hand a step to the trace of lanes: what was chosen and done, by role, and perceived."""
    batch = lanes.batch
    if lanes.trace is None:
        return
    meant: dict[Role, Move] = {}
    played: dict[Role, Move] = {}
    for role, row in enumerate(chosen.tolist()):
        if row >= 0:
            meant[batch.roles[role]] = batch.legal_move(row)[1]
            played[batch.roles[role]] = batch.does_move(int(does[role]))[1]
    seen = {
        role: lanes.percepts_in(player, percepts)
        for player, role in enumerate(lanes.players)
        if lanes.has_percepts
    }
    told = {role: terms for role, terms in seen.items() if terms}
    lanes.trace.step(lane, Step(meant, played, lanes.state(lane), told))
