"""Machine code beside the tape it was made from, on random inputs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.layout import FIRST_INPUT, input_row, make_rows
from gdl_env.engine.circuit.native.call import run_machine
from gdl_env.engine.circuit.native.machine import Machine
from gdl_env.engine.circuit.playouts.loop import fill_random
from gdl_env.engine.circuit.tape.kernel import WIDE, run_wide
from gdl_env.engine.circuit.tape.tape import Tape


def is_right(machine: Machine, tape: Tape, random: int, after: int) -> bool:
    """Tell whether outputs, random rows and the next state are those of the tape."""
    chance = np.random.default_rng(1)
    known = tape.inputs - random
    inputs = slice(FIRST_INPUT, input_row(known))
    generator = chance.integers(0, 2**64, (4, WIDE), np.uint64)
    state = np.ascontiguousarray(generator[:, : machine.width])
    expected = make_rows(tape.slots, WIDE)
    rows = expected.reshape(-1, WIDE)
    rows[inputs] = chance.integers(0, 2**64, (known, WIDE), np.uint64)
    data = make_rows(machine.slots, machine.width)
    found = data.reshape(-1, machine.width)
    found[inputs] = rows[inputs, : machine.width]
    fill_random(generator, expected, input_row(known), random)
    run_wide(tape.places(WIDE), tape.runs, tape.feedback, expected)
    run_machine(machine.run, data, state)
    pairs = [(state, generator)]
    pairs += [
        (found[ours], rows[theirs])
        for ours, theirs in zip(machine.outputs, tape.outputs, strict=True)
    ]
    if after >= 0:
        run_machine(machine.advance, data, state)
        next_state = tape.outputs[after]
        pairs.append((found[FIRST_INPUT : input_row(len(next_state))], rows[next_state]))
    return all(_same(ours, theirs) for ours, theirs in pairs)


def _same(narrow: NDArray[np.uint64], wide: NDArray[np.uint64]) -> bool:
    return bool((narrow == wide[:, : narrow.shape[1]]).all())
