"""What compiled code for random play takes and fills in.

Kernels name these classes in their signatures, so that a change of the fields here compiles them
again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit.tape.program import Program

# Rows of `Progress.lanes`.
BEGAN, GAME, STOPS = range(3)


class PlayProgram(NamedTuple):
    """One step of random play and the goals of final states, ready to run.

    Rows are those of the memory of `step`, if nothing else is said. Goals are sorted by their
    value: where several hold, the last one counts.
    """

    # State and random bits → end of the game, state after the step, perhaps goals.
    step: Program
    # Where the machine code begins that makes the next state the state; 0: none.
    advance: int
    # State → goals, where these are not among the outputs of `step`; else an empty program.
    goals: Program
    # How many facts a state has, and how many rows of random bits follow them.
    facts: int
    random: int
    # The rows that tell that a game is over, and that it cannot continue.
    terminal: int
    stuck: int
    # int32, shape (experiments): the rows that tell that a move draws from an experiment without
    # events, for those experiments that can run out of them.
    failing: NDArray[np.int32]
    # int32, shape (facts): the row of each fact after the step.
    after: NDArray[np.int32]
    # int32, shape (moves): the row of each move that tells whether it is made; empty where the
    # outputs of `step` do not have them.
    moves: NDArray[np.int32]
    # int32, shape (goals): the row of each goal; empty where `goals` computes them.
    eager: NDArray[np.int32]
    # int32, shape (goals): the row of each goal in the memory of `goals`; empty where in `eager`.
    apart: NDArray[np.int32]
    # int64, shape (goals): the role of each goal, and its value.
    goal_role: NDArray[np.int64]
    goal_value: NDArray[np.int64]
    # bool, shape (facts): the initial state.
    initial: NDArray[np.bool_]
    # int32, shape (codes, roles): the goals for each code of a final state, -1 for none; no rows
    # where goals are too many, or not in `eager`. Bit k of a code is goal k.
    code_goals: NDArray[np.int32]


class Progress(NamedTuple):
    """Where games stand between two slices of play."""

    # int64, shape (7): see `loop.py`.
    clock: NDArray[np.int64]
    # int64, shape (3, lanes): the step in which the game of each lane BEGAN; the number of that
    # GAME, which is its row in the results; and the number of the first one that the lane does
    # not play any more, where it STOPS.
    lanes: NDArray[np.int64]
    # uint64, shape (width): a bit for each lane that has games left.
    busy: NDArray[np.uint64]
    # int64, shape (lanes): the games whose final states wait for their goals, until a row of them
    # is full.
    waiting: NDArray[np.int64]
    # uint64, shape (width): a bit for each lane whose game takes too long.
    late: NDArray[np.uint64]
    # uint64, shape (4, width): the generators of the block that is played.
    generator: NDArray[np.uint64]
    # uint64, shape (facts · width): room for a copy of the state.
    copied: NDArray[np.uint64]


class PlayoutResults(NamedTuple):
    """Steps, end and goals of games, a row a game."""

    # int32, shape (games): how many steps each took.
    steps: NDArray[np.int32]
    # bool, shape (games): whether it came to an end by the rules.
    is_terminal: NDArray[np.bool_]
    # int32, shape (games, roles): goals, -1 for none.
    goals: NDArray[np.int32]
