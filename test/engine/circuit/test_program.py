"""Programs: the same outputs from one-word rows, wide rows and machine code."""

from __future__ import annotations

import gc

import numpy as np
from numpy.typing import NDArray
import pytest
from random_tapes import random_tape

from gdl_env.engine.batch.layout import FIRST_INPUT, ONE, ZERO, input_row, make_rows
from gdl_env.engine.circuit.native import native
from gdl_env.engine.circuit.native.machine import assemble
from gdl_env.engine.circuit.native.native import native_program
from gdl_env.engine.circuit.tape.kernel import WIDE
from gdl_env.engine.circuit.tape.program import Program, prepare_program, run_program
from gdl_env.engine.circuit.tape.tape import Tape

_VARIANTS = native.variants()
needs_native = pytest.mark.skipif(not _VARIANTS, reason='this processor has no AVX2')


def _outputs(
    program: Program, tape: Tape, outputs: tuple[NDArray[np.int32], ...]
) -> list[NDArray[np.uint64]]:
    """Run on random inputs; return the first word of the rows of each group."""
    rows = program.data.reshape(-1, program.width)
    inputs = np.random.default_rng(5).integers(0, 2**64, (tape.inputs, WIDE), np.uint64)
    rows[input_row(0) : input_row(tape.inputs)] = inputs[:, : program.width]
    run_program(program)
    return [rows[group, 0] for group in outputs]


def _assert_same(found: list[NDArray[np.uint64]], expected: list[NDArray[np.uint64]]) -> None:
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize('seed', range(6))
def test_one_word_and_wide_rows_give_the_same(seed: int) -> None:
    tape = random_tape(seed)
    one, wide = prepare_program(tape, 1), prepare_program(tape, WIDE)
    assert (one.address, wide.address) == (0, 0)
    _assert_same(_outputs(one, tape, tape.outputs), _outputs(wide, tape, tape.outputs))


@needs_native
@pytest.mark.parametrize('variant', _VARIANTS or ['off'])
# Without a next state, and with one that may take the place of the state.
@pytest.mark.parametrize('after', [-1, 1])
@pytest.mark.parametrize('seed', range(6))
def test_machine_code_gives_the_same(
    seed: int, after: int, variant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('GDL_NATIVE', variant)
    tape = random_tape(seed)
    expected = _outputs(prepare_program(tape, 1), tape, tape.outputs)
    found = native_program(tape, after)
    assert found is not None
    program, outputs = found
    assert program.address
    # The code lives as long as the program, and as one with other memory.
    other = program._replace(data=make_rows(len(program.data) // program.width, program.width))
    del found, program
    gc.collect()
    _assert_same(_outputs(other, tape, outputs), expected)


def test_no_machine_code_where_it_is_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('GDL_NATIVE', 'off')
    assert native_program(random_tape(0)) is None


@needs_native
def test_wrong_machine_code_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv('GDL_NATIVE', raising=False)
    monkeypatch.setattr(native, '_trouble', [])
    monkeypatch.setattr(native, 'is_right', lambda *_: False)
    with pytest.warns(RuntimeWarning, match='other results than the tape'):
        assert native_program(random_tape(0)) is None


def test_other_widths_are_refused() -> None:
    with pytest.raises(ValueError, match='1 or 16 words, not of 3'):
        prepare_program(random_tape(0), 3)


@needs_native
def test_machine_code_has_one_width() -> None:
    tape = random_tape(0)
    machine = assemble(tape, _VARIANTS[0])
    with pytest.raises(ValueError, match=f'rows of {machine.width} words, not 16'):
        prepare_program(tape, WIDE, machine)


@pytest.mark.parametrize('width', [1, 4, 8, WIDE])
def test_memory_begins_with_the_constants(width: int) -> None:
    data = make_rows(5, width)
    rows = data.reshape(-1, width)
    assert data.ctypes.data % 64 == 0
    assert (rows[ZERO] == 0).all()
    assert (rows[ONE] == ~np.uint64(0)).all()
    assert (rows[FIRST_INPUT:] == 0).all()
