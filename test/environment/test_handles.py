"""Records that compiled code opens from a handle, field by field: each must be the one it names.

A field that is opened in the wrong place would be read as another array, without an error.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gdl_env.environment.blocks import records as blocks
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes import match_handle as match
from gdl_env.environment.lanes.records import ResultArrays
from gdl_env.environment.options import Options
from gdl_env.language.load import open_game


@pytest.fixture(scope='module')
def environment() -> Environment:
    # Enough lanes for blocks, and not a multiple of 64.
    return Environment.open(open_game('tictactoe'), Options(lanes=100))


def check(opened: Any, arrays: Any) -> None:
    """Compare what compiled code opened with the arrays that Python holds."""
    for name in opened._fields:
        found, array = getattr(opened, name), getattr(arrays, name)
        if not isinstance(array, np.ndarray):
            continue
        assert found.dtype == array.dtype, name
        assert found.shape == array.shape, name
        assert not array.size or found.ctypes.data == array.ctypes.data, name


def test_records_of_a_match(environment: Environment) -> None:
    lanes, address = environment.game, environment.game.handle.address
    views, draws, goals, _ = lanes.handle._circuit  # type: ignore[misc]
    check(match.open_seats(address), lanes.seats)
    check(match.open_lanes(address), lanes.arrays)
    check(match.open_scratch(address), lanes.scratch)
    check(match.open_views(address), views)
    check(match.open_draws(address), draws)
    check(match.open_goals(address), goals)


def test_rules_of_a_match(environment: Environment) -> None:
    address, programs = environment.game.handle.address, environment.game.handle._circuit[3]
    for opened, rules in (
        (match.open_step_rules(address), programs.step),
        (match.open_look_rules(address), programs.look),
        (match.open_score_rules(address), programs.score),
    ):
        check(opened, rules)
        check(opened.program, rules.program)
        assert opened.program.width == rules.program.width
        assert opened.program.address == rules.program.address


def test_the_result_of_a_tick(environment: Environment) -> None:
    handle = environment.game.handle
    opened = match.open_result(handle.address)
    assert opened._fields == ResultArrays._fields
    check(opened, handle.result)
    environment.play(environment.draw())
    check(match.open_result(handle.address), handle.result)


def test_records_of_blocks(environment: Environment) -> None:
    held = environment.game.blocks
    assert held is not None
    check(blocks.open_blocks(held._handle), held._arrays)
    check(blocks.open_tables(held._handle), held._tables)
    check(blocks.open_views(held._handle), held._sheets[0])
    check(blocks.open_masks(held._handle), held._sheets[1])
