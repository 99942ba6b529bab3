"""Draws by a policy of moves, and its adaptation to a line, in compiled code."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel


@compile_kernel(nogil=True, makes_arrays=False)
def draw_moves(lanes, starts, counts, rows, policy, marks, places):
    """Draw a move in each of some lanes: its place among the rows.

    - lanes: int64 (n) the policy of each; starts, counts: int64 (n) which rows are its moves
    - policy: float32 (lanes, moves) logarithms of how likely moves are
    - marks: float64 (n) from 0 to 1; places: int64 (n), written
    """
    for k in range(lanes.shape[0]):
        own = policy[lanes[k]]
        first, end = starts[k], starts[k] + counts[k]
        highest = own[rows[first]]
        for place in range(first, end):
            highest = max(highest, own[rows[place]])
        total = 0.0
        for place in range(first, end):
            total += np.exp(own[rows[place]] - highest)
        left = marks[k] * total
        places[k] = end - 1
        for place in range(first, end):
            left -= np.exp(own[rows[place]] - highest)
            if left < 0:
                places[k] = place
                break


@compile_kernel(nogil=True, makes_arrays=False)
def adapt_policy(policy, before, chosen, bounds, rows, rate):
    """Make the moves of a line likelier.

    - policy: float32 (moves), changed; before: a copy of it
    - chosen: int32 (steps) the moves; bounds: int64 (steps + 1), rows: what could be chosen
    """
    for step in range(chosen.shape[0]):
        first, end = bounds[step], bounds[step + 1]
        highest = before[rows[first]]
        for place in range(first, end):
            highest = max(highest, before[rows[place]])
        total = 0.0
        for place in range(first, end):
            total += np.exp(before[rows[place]] - highest)
        for place in range(first, end):
            policy[rows[place]] -= rate * np.exp(before[rows[place]] - highest) / total
        policy[chosen[step]] += rate
