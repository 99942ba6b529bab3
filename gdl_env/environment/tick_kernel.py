"""A whole tick of lanes in one compiled call: for ticks in which everybody answered as asked.

Called one by one, the loops it is made of cost a small game more than what they do.
"""

from __future__ import annotations

import numpy as np

from gdl_env.engine.circuit.kernel import WIDE
from gdl_env.engine.compiling import compile_kernel
from gdl_env.environment.course_kernels import count_steps, settle_together
from gdl_env.environment.lane_kernels import look_blocks, play_rows, step_blocks

# An answer is missing or illegal, or something is to be drawn: nothing was played.
NOT_PLAIN = -1


@compile_kernel(nogil=True)
def play_tick(rules, lanes, course, given, acting, action):
    """Play the given actions (players by lanes); return how lanes go on, or NOT_PLAIN.

    `acting` and `action` get who acted and what was played. The groups of arrays are those of
    CircuitLanes and Course.
    """
    (
        step_tape,
        after,
        seen,
        look_tape,
        over,
        slots,
        ranges,
        rows_of,
        actions_of,
        is_noop,
        plain,
    ) = rules
    state, legal, terminal, possible, percepts = lanes
    acts, decides, is_open, ended, held, steps, last, limit, ending, idle, quiet = course
    for player in range(decides.shape[0]):
        for lane in range(decides.shape[1]):
            action[player, lane] = -1
            if decides[player, lane]:
                choice = given[player, lane]
                if choice < 0 or choice >= rows_of.shape[1]:
                    return NOT_PLAIN, 0
                row = rows_of[player, choice]
                word = (
                    legal[lane // (64 * WIDE), row, (lane // 64) % WIDE]
                    if row >= 0
                    else np.uint64(0)
                )
                if not (word >> np.uint64(lane & 63)) & np.uint64(1):
                    return NOT_PLAIN, 0
                action[player, lane] = choice
    for lane in range(acts.shape[1]):
        asks = False
        for player in range(decides.shape[0]):
            asks = asks or decides[player, lane]
        for seat in range(acts.shape[0]):
            acting[seat, lane] = acts[seat, lane] and asks
    row = np.empty(acting.shape, np.int32)
    does = np.empty(acting.shape, np.int32)
    active = np.empty(acting.shape[1], np.bool_)
    has, many = possible[0], possible[1]
    draws = np.zeros((0, 0))
    if not play_rows(
        acting, many, action, draws, legal, ranges, rows_of, actions_of, row, plain, does, active
    ):
        return NOT_PLAIN, 0
    step_blocks(
        state,
        does,
        active,
        step_tape[0],
        step_tape[1],
        step_tape[2],
        step_tape[3],
        after,
        seen,
        percepts,
    )
    look_blocks(
        state,
        look_tape[0],
        look_tape[1],
        look_tape[2],
        look_tape[3],
        over,
        slots,
        legal,
        ranges,
        is_noop,
        terminal,
        possible,
    )
    total = count_steps(acting, steps, last)
    found = settle_together(
        terminal, has, many, is_open, ended, held, steps, limit, ending, idle, acts, decides, quiet
    )
    return found, total
