"""Writing down the steps of lanes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.contract import Move, Role
from gdl_env.engine.interpreter import InterpretedStep
from gdl_env.environment.lanes.lanes import Lanes


def trace_steps(
    lanes: Lanes,
    work: NDArray[np.int32],
    chosen: NDArray[np.int32],
    does: NDArray[np.int32],
    percepts: NDArray[np.uint64],
) -> None:
    """Write down a step of these lanes, as far as it is wanted.

    The other arrays have a row for each lane: what was chosen and done, by role, and perceived.
    """
    traced = lanes.trace.lanes if lanes.trace is not None else 0
    most = max(traced, lanes.move_log is not None)
    for place, lane in enumerate(work.tolist()):
        if lane < most:
            step = _read_step(lanes, lane, chosen[place], does[place], percepts[place])
            if lanes.trace is not None and lane < traced:
                lanes.trace.step(lane, step)
            if lanes.move_log is not None and lane == 0:
                lanes.move_log.add(int(lanes.arrays.episode[0]), step.played)


def _read_step(
    lanes: Lanes,
    lane: int,
    chosen: NDArray[np.int32],
    does: NDArray[np.int32],
    percepts: NDArray[np.uint64],
) -> InterpretedStep:
    batch = lanes.batch
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
    return InterpretedStep(meant, played, lanes.state(lane), told)
