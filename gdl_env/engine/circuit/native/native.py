"""Random play as machine code: an accelerator for x86-64, never the only way.

Tapes are assembled in memory when they are first played, checked against the tape itself, and
kept as long as the tape. The portable way remains where there is no AVX2, where memory must not be
executable, or where the check fails. The environment variable GDL_NATIVE decides, too: `off`,
`avx2` or `avx512` (where the processor has it); results are the same, game by game.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
import os
import platform
import warnings

from llvmlite import binding
import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit.native.check import is_right
from gdl_env.engine.circuit.native.machine import Machine, assemble
from gdl_env.engine.circuit.tape.program import Program, prepare_program
from gdl_env.engine.circuit.tape.tape import Tape


@dataclass(frozen=True)
class Machines:
    """Machine code for a step, and for goals where they are computed apart."""

    step: Machine
    goals: Machine | None


# Set when machine code was wrong or refused: no further attempts then.
_trouble: list[str] = []


def variants() -> list[str]:
    """Return what this processor can run, the best last."""
    if os.name != 'posix' or platform.machine() not in {'x86_64', 'AMD64'}:
        return []
    features = binding.get_host_cpu_features()
    return [
        name
        for name, needed in (('avx2', 'avx2'), ('avx512', 'avx512f'))
        if features.get(needed, False)
    ]


_known_variants = cache(variants)


def chosen_variant() -> str | None:
    """Return which machine code to use; None: none."""
    wish = os.environ.get('GDL_NATIVE', '')
    possible = _known_variants()
    if wish == 'off' or not possible or _trouble:
        return None
    return wish if wish in possible else possible[-1]


def assemble_play(
    step: Tape, facts: int, goals: Tape, is_eager: bool, variant: str
) -> Machines | None:
    """Assemble random play and check it; None, with a warning, where that does not work."""
    random = step.inputs - facts
    try:
        machines = Machines(
            # States that ended are still needed where goals are computed apart.
            assemble(step, variant, random, 1, is_eager),
            None if is_eager else assemble(goals, variant),
        )
    except OSError as error:
        _give_up(f'no machine code: {error}')
        return None
    if is_right(machines.step, step, random, 1) and (
        machines.goals is None or is_right(machines.goals, goals, 0, -1)
    ):
        return machines
    _give_up('machine code gave other results than the tape')
    return None


def native_program(
    tape: Tape, after: int = -1
) -> tuple[Program, tuple[NDArray[np.int32], ...]] | None:
    """Assemble a tape without random inputs, check it, and return it ready to run.

    `after` is the group of outputs that are the next state, -1 without one: they may take the
    places of the state. The second part of the answer is the rows of the outputs, group by group:
    they are not those of the tape. Returns None where machine code is switched off or does not
    work; the latter with a warning.
    """
    variant = chosen_variant()
    if variant is None:
        return None
    try:
        machine = assemble(tape, variant, 0, after, after >= 0)
    except OSError as error:
        _give_up(f'no machine code: {error}')
        return None
    if not is_right(machine, tape, 0, after):
        _give_up('machine code gave other results than the tape')
        return None
    return prepare_program(tape, machine.width, machine), machine.outputs


def _give_up(reason: str) -> None:
    _trouble.append(reason)
    warnings.warn(f'{reason}; the engine is slower', RuntimeWarning, stacklevel=2)
