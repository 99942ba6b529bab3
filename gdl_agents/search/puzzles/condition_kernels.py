"""The condition that is hardest to meet, and the moves that help it, in compiled code."""

from __future__ import annotations

import numpy as np

from gdl_agents.search.puzzles.closeness_kernels import LANES, evaluate_nodes, make_nodes
from gdl_env.compiling import compile_kernel


@compile_kernel(nogil=True)
def find_lost(states, formula, ladders, conditions, is_lost):
    """Tell in which states a brittle condition is broken.

    - is_lost: bool (n), written
    """
    is_so, is_not = make_nodes(formula)
    for first in range(0, states.shape[0], LANES):
        count = min(LANES, states.shape[0] - first)
        evaluate_nodes(states, first, count, formula, ladders, is_so, is_not)
        is_lost[first : first + count] = False
        for number in range(conditions.nodes.shape[0]):
            node = conditions.nodes[number, 0]
            held = is_not if conditions.nodes[number, 1] else is_so
            if conditions.is_brittle[number]:
                for lane in range(count):
                    if held[node, lane] < np.float32(1):
                        is_lost[first + lane] = True


@compile_kernel(nogil=True)
def choose_moves(states, starts, counts, rows, formula, ladders, conditions, is_chosen):
    """Mark the moves that help the condition with the fewest such moves, in each state.

    No move is marked where there is none for one of the conditions.

    - starts, counts: int64 (n) which rows are the moves of each state
    - is_chosen: bool (rows), false
    """
    is_so, is_not = make_nodes(formula)
    helpers = np.zeros(conditions.nodes.shape[0], np.int32)
    for first in range(0, states.shape[0], LANES):
        count = min(LANES, states.shape[0] - first)
        evaluate_nodes(states, first, count, formula, ladders, is_so, is_not)
        for lane in range(count):
            state = first + lane
            begin, end = starts[state], starts[state] + counts[state]
            helpers[:] = 0
            for place in range(begin, end):
                row = rows[place]
                if row + 1 < conditions.starts.shape[0]:
                    for k in range(conditions.starts[row], conditions.starts[row + 1]):
                        helpers[conditions.helped[k]] += 1
            hardest = -1
            for number in range(helpers.shape[0]):
                node = conditions.nodes[number, 0]
                held = is_not if conditions.nodes[number, 1] else is_so
                if held[node, lane] < np.float32(1) and (
                    hardest < 0 or helpers[number] < helpers[hardest]
                ):
                    hardest = number
            for place in range(begin, end):
                row = rows[place]
                if hardest >= 0 and row + 1 < conditions.starts.shape[0]:
                    for k in range(conditions.starts[row], conditions.starts[row + 1]):
                        if conditions.helped[k] == hardest:
                            is_chosen[place] = True
