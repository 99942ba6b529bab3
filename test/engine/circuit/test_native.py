"""Machine code gives what the tape gives."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
import mmap
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
import pytest
from random_tapes import random_tape

from gdl_env.engine.circuit.compiled import CompiledGame, compile_game
from gdl_env.engine.circuit.native import machine as native_machine
from gdl_env.engine.circuit.native import native
from gdl_env.engine.circuit.native.check import is_right
from gdl_env.engine.circuit.native.machine import assemble
from gdl_env.engine.circuit.playouts import playouts
from gdl_env.engine.circuit.playouts.playouts import LANES, play
from gdl_env.engine.circuit.playouts.records import PlayoutResults
from gdl_env.engine.circuit.playouts.results import LONGEST_CODED
from gdl_env.engine.circuit.tape.tape import Tape
from gdl_env.engine.grounding.budget import GroundingLimits
from gdl_env.engine.grounding.errors import GroundingError
from gdl_env.language.load import game_from_text, load_game

_GAMES = sorted((Path(__file__).parents[3] / 'games').glob('*.gdl'))
_VARIANTS = native.variants()

needs_native = pytest.mark.skipif(not _VARIANTS, reason='this processor has no AVX2')
each_variant = pytest.mark.parametrize('variant', _VARIANTS or ['off'])

# Never over by itself; the state moves through facts that are each other's next ones, and facts
# that share what comes next differ in the beginning.
_RING = """
(role a) (init (at 0)) (init (copy 1)) (succ 0 1) (succ 1 2) (succ 2 0)
(legal a go) (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
(<= (next (copy ?y)) (true (at ?x)) (succ ?x ?y))
(<= terminal (true (at 9)))
(<= (goal a 50) (true (at 1))) (<= (goal a 80) (true (copy 1)))
"""


def _compile(path: Path) -> CompiledGame:
    try:
        return compile_game(load_game(path))
    except GroundingError as error:
        pytest.skip(str(error))


def _play(compiled: CompiledGame, quota: NDArray[np.int64], limit: int) -> PlayoutResults:
    return play(compiled.playout, len(compiled.vocabulary.roles), quota, 7, limit)


def _assert_same(found: PlayoutResults, expected: PlayoutResults) -> None:
    np.testing.assert_array_equal(found.steps, expected.steps)
    np.testing.assert_array_equal(found.is_terminal, expected.is_terminal)
    np.testing.assert_array_equal(found.goals, expected.goals)


def _uneven() -> NDArray[np.int64]:
    quota = np.zeros(LANES, np.int64)
    quota[: LANES // 2] = 1
    quota[3:LANES:7] += 2
    return quota


@needs_native
@each_variant
@pytest.mark.parametrize('limit', [4, 60, LONGEST_CODED])
@pytest.mark.parametrize('path', _GAMES, ids=lambda path: path.stem)
def test_same_games(path: Path, limit: int, variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = _compile(path)
    monkeypatch.setenv('GDL_NATIVE', 'off')
    expected = _play(compiled, _uneven(), limit)
    monkeypatch.setenv('GDL_NATIVE', variant)
    assert native.chosen_variant() == variant
    _assert_same(_play(compiled, _uneven(), limit), expected)


@needs_native
@each_variant
def test_same_where_goals_are_computed_apart(
    variant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playouts, '_EAGER_OPERATIONS_A_FACT', -1)
    # Games are compiled again for given limits.
    path = next(path for path in _GAMES if path.stem == 'tictactoe')
    compiled = compile_game(load_game(path), GroundingLimits())
    assert not len(compiled.playout.eager)
    monkeypatch.setenv('GDL_NATIVE', 'off')
    expected = _play(compiled, _uneven(), 60)
    monkeypatch.setenv('GDL_NATIVE', variant)
    _assert_same(_play(compiled, _uneven(), 60), expected)


@pytest.mark.parametrize('variant', ['off', *_VARIANTS])
def test_cut_games_start_again(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('GDL_NATIVE', variant)
    compiled = compile_game(game_from_text(_RING))
    result = _play(compiled, np.full(LANES, 3, np.int64), 4)
    # After four steps at(1) holds again, and copy(1).
    assert (result.steps == 4).all()
    assert not result.is_terminal.any()
    assert (result.goals == 80).all()


@needs_native
@each_variant
def test_threads_share_code(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = _compile(next(path for path in _GAMES if path.stem == 'connect_four'))
    monkeypatch.setenv('GDL_NATIVE', variant)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: _play(compiled, _uneven(), 60), range(8)))
    for result in results[1:]:
        _assert_same(result, results[0])


@needs_native
@each_variant
@pytest.mark.parametrize('seed', range(30))
def test_random_networks(seed: int, variant: str) -> None:
    tape = random_tape(seed)
    random = seed % 3
    after = -1 if seed % 5 == 0 else 1
    machine = assemble(tape, variant, random, after, in_place=seed % 2 == 0)
    assert is_right(machine, tape, random, after)


@needs_native
@each_variant
def test_check_notices_errors(variant: str) -> None:
    # Without cycles: wrong ones might never end.
    tape = random_tape(2)
    operations = tape.operations.copy()
    operations[:, 0] = (operations[:, 0] + 1) % 4
    wrong = Tape(operations, tape.runs, tape.feedback, tape.slots, tape.inputs, tape.outputs)
    assert not is_right(assemble(wrong, variant), tape, 0, -1)


@needs_native
@pytest.mark.parametrize('trouble', ['refused', 'wrong'])
def test_falls_back(trouble: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, '_trouble', [])
    monkeypatch.delenv('GDL_NATIVE', raising=False)
    if trouble == 'refused':
        monkeypatch.setattr(native_machine, '_executable', _refuse)
    else:
        monkeypatch.setattr(native, 'is_right', lambda *_: False)
    compiled = compile_game(game_from_text(_RING))
    with pytest.warns(RuntimeWarning, match='the engine is slower'):
        found = _play(compiled, _uneven(), 9)
    assert native.chosen_variant() is None
    monkeypatch.setenv('GDL_NATIVE', 'off')
    _assert_same(found, _play(compiled, _uneven(), 9))


def test_off_and_unknown_wishes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('GDL_NATIVE', 'off')
    assert native.chosen_variant() is None
    monkeypatch.setenv('GDL_NATIVE', 'something')
    assert native.chosen_variant() == (_VARIANTS[-1] if _VARIANTS else None)


def test_other_processors_have_no_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native.platform, 'machine', lambda: 'aarch64')
    assert native.variants() == []


@needs_native
def test_code_lives_as_long_as_the_tapes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('GDL_NATIVE', _VARIANTS[-1])
    before = len(playouts._known)
    compiled = compile_game(game_from_text(_RING))
    _play(compiled, _uneven(), 3)
    _play(compiled, _uneven(), 3)
    assert len(playouts._known) == before + 1
    del compiled
    assert len(playouts._known) == before


def _refuse(code: bytes) -> tuple[mmap.mmap, int]:
    raise PermissionError(13, 'not executable')
