"""The three tapes of a circuit game, ready to run on many states at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.layout import FIRST_INPUT
from gdl_env.engine.circuit.compiled import CompiledGame
from gdl_env.engine.circuit.native.native import native_program
from gdl_env.engine.circuit.tape.kernel import WIDE
from gdl_env.engine.circuit.tape.program import Program, prepare_program
from gdl_env.engine.circuit.tape.tape import Tape

# Without machine code, this many states or fewer run in rows of one word.
FEW_STATES = 192

Slots = NDArray[np.int32]


class StepRules(NamedTuple):
    """What a step needs: state and moves → next state and percepts."""

    program: Program
    # How many facts and moves the program takes: its inputs, in this order.
    facts: int
    moves: int
    # int32 (facts): the row of each fact of the next state.
    after: Slots
    # int32 (percepts): the row of each percept, of all roles.
    percepts: Slots


class LookRules(NamedTuple):
    """What is possible in a state: state → terminal and legal moves."""

    program: Program
    # The row that tells whether the game is over.
    terminal: int
    # int32 (legal moves): the row of each legal move, of all roles.
    legal: Slots
    # int32 (3 · roles): the rows of what each role can do in short; see `network/possible.py`.
    possible: Slots
    # int32 (facts): the rows of the state itself.
    inputs: Slots


class ScoreRules(NamedTuple):
    """What a state is worth, and what chance can do there: state → goals and events."""

    program: Program
    # int32 (goals), int32 (events of experiments): their rows.
    goals: Slots
    events: Slots


class CircuitPrograms(NamedTuple):
    """The rules of a game as programs. Threads must not share one: programs have memory."""

    step: StepRules
    look: LookRules
    score: ScoreRules


def prepare_programs(compiled: CompiledGame, states: int) -> CircuitPrograms:
    """Prepare a game for about this many states at a time: machine code where possible."""
    width = 1 if states <= FEW_STATES else WIDE
    step, (after, percepts) = _prepare(compiled.step, width)
    look, (terminal, legal, possible) = _prepare(compiled.look, width)
    score, (goals, events) = _prepare(compiled.score, width)
    vocabulary = compiled.vocabulary
    sizes = len(vocabulary.facts), len(vocabulary.does)
    inputs = np.arange(FIRST_INPUT, FIRST_INPUT + sizes[0], dtype=np.int32)
    return CircuitPrograms(
        StepRules(step, *sizes, after, percepts),
        LookRules(look, int(terminal[0]), legal, possible, inputs),
        ScoreRules(score, goals, events),
    )


def _prepare(tape: Tape, width: int) -> tuple[Program, tuple[Slots, ...]]:
    native = native_program(tape)
    if native is not None:
        return native
    return prepare_program(tape, width), tape.outputs
