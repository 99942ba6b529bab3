"""The same tapes as machine code, in rows of one word and in wide rows: bit by bit the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import os

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.circuit_programs import FEW_STATES
from gdl_env.engine.batch.contract import Rows, States
from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.circuit.native.native import chosen_variant
from gdl_env.errors import EngineError

_VARIABLE = 'GDL_NATIVE'
# More than these run in wide rows.
_MANY = FEW_STATES + 64


@contextmanager
def tapes_only() -> Iterator[None]:
    """Do without machine code for a while."""
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = 'off'
    try:
        yield
    finally:
        if before is None:
            del os.environ[_VARIABLE]
        else:
            os.environ[_VARIABLE] = before


def compare_programs(engine: CircuitEngine, states: States, does: Rows) -> str:
    """Return what differs between the programs of a game on these states, '' if nothing does."""
    native = CircuitBatch(engine)
    answers = _answer(native, states, does)
    with tapes_only():
        tapes = CircuitBatch(engine)
        few = _answer(tapes, states, does)
        times = -(-_MANY // len(states))
        many = _answer(tapes, np.tile(states, (times, 1)), np.tile(does, (times, 1)))
    is_native = chosen_variant() is not None
    for name, one in answers.items():
        if is_native and not np.array_equal(one, few[name]):
            return f'{name}: machine code and tape differ'
        if name != 'starts' and not np.array_equal(few[name], many[name][: len(few[name])]):
            return f'{name}: narrow and wide rows of the tape differ'
    return ''


def _answer(game: CircuitBatch, states: States, does: Rows) -> dict[str, NDArray[np.generic]]:
    look = game.look(states)
    try:
        after, percepts = game.step_and_perceive(states, does)
    except EngineError:
        # A value leaves its range in one of them.
        after = percepts = states[:0]
    return {
        'whether the game is over': look.terminal,
        'starts': look.starts,
        'legal moves': look.rows,
        'goals': game.goals(states),
        'next state': after,
        'percepts': percepts,
    }


def compare_play(engine: CircuitEngine, games: int, seed: int, limit: int) -> str:
    """Return what differs between random play as machine code and as a tape, '' if nothing."""
    native = _play(engine, games, seed, limit)
    with tapes_only():
        tapes = _play(engine, games, seed, limit)
    if isinstance(native, str) or isinstance(tapes, str):
        return '' if native == tapes else f'random play: machine code: {native}; tape: {tapes}'
    for name, one, other in zip(('steps', 'ends', 'goals'), native, tapes, strict=True):
        if not np.array_equal(one, other):
            return f'random play: {name} of machine code and tape differ'
    return ''


def _play(
    engine: CircuitEngine, games: int, seed: int, limit: int
) -> tuple[NDArray[np.generic], ...] | str:
    try:
        (result,) = engine.play_batches(games, seed, limit)
    except EngineError as error:
        # Which game meets it first depends on how many steps are made at a time.
        return type(error).__name__
    return result.steps, result.is_terminal, result.goals
