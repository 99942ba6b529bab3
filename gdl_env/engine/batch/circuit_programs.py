"""The three tapes of a circuit game, ready to run on many states at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.layout import FIRST_INPUT
from gdl_env.engine.circuit.compiled import CompiledGame
from gdl_env.engine.circuit.native.native import native_program
from gdl_env.engine.circuit.tape.columns import LEFT, RIGHT
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
    # int32: the facts whose row of the next state is not that of the state.
    moved: Slots


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
    # int32: the facts that the program reads.
    reads: Slots


class ScoreRules(NamedTuple):
    """What a state is worth, and what chance can do there: state → goals and events."""

    program: Program
    # int32 (goals), int32 (events of experiments): their rows.
    goals: Slots
    events: Slots
    # int32: the facts that the program reads.
    reads: Slots


class CircuitPrograms(NamedTuple):
    """The rules of a game as programs. Threads must not share one: programs have memory."""

    step: StepRules
    look: LookRules
    score: ScoreRules


def prepare_programs(compiled: CompiledGame, states: int) -> CircuitPrograms:
    """Prepare a game for about this many states at a time: machine code where possible."""
    width = 1 if states <= FEW_STATES else WIDE
    step, (after, percepts) = _prepare(compiled.step, width, 0)
    look, (terminal, legal, possible) = _prepare(compiled.look, width)
    score, (goals, events) = _prepare(compiled.score, width)
    vocabulary = compiled.vocabulary
    sizes = len(vocabulary.facts), len(vocabulary.does)
    inputs = np.arange(FIRST_INPUT, FIRST_INPUT + sizes[0], dtype=np.int32)
    return CircuitPrograms(
        StepRules(step, *sizes, after, percepts, np.flatnonzero(after != inputs).astype(np.int32)),
        LookRules(look, int(terminal[0]), legal, possible, inputs, _find_reads(compiled.look)),
        ScoreRules(score, goals, events, _find_reads(compiled.score)),
    )


def _prepare(tape: Tape, width: int, after: int = -1) -> tuple[Program, tuple[Slots, ...]]:
    native = native_program(tape, after)
    if native is not None:
        return native
    return prepare_program(tape, width), tape.outputs


def _find_reads(tape: Tape) -> Slots:
    """Return the inputs of a tape that operations or outputs read, counted from 0."""
    operands = tape.operations[:, [LEFT, RIGHT]].ravel()
    used = np.unique(np.concatenate([operands, *tape.outputs]))
    inputs = used[(used >= FIRST_INPUT) & (used < FIRST_INPUT + tape.inputs)]
    return (inputs - FIRST_INPUT).astype(np.int32)
