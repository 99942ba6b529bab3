"""Squares of bits that are turned over together."""

from __future__ import annotations

import numpy as np
import pytest

from gdl_env.engine.batch.wide_squares import ACROSS, add_row, lane_word, turn_rows


@pytest.mark.parametrize('size', [8, 16, 32, 64])
def test_lanes_get_the_bits_of_their_rows(size: int) -> None:
    random = np.random.default_rng(size)
    rows = random.integers(0, 2**64, (size, ACROSS), dtype=np.uint64)
    turned = rows.reshape(-1).copy()
    turn_rows(turned, size)
    for w in range(ACROSS):
        for lane in range(64):
            found = int(lane_word(turned, np.uint64(size), np.uint64(w), np.uint64(lane)))
            bits = [int(rows[row, w]) >> lane & 1 for row in range(size)]
            assert [found >> row & 1 for row in range(size)] == bits


@pytest.mark.parametrize('count', [1, 4, ACROSS])
def test_rows_are_added_under_a_mask(count: int) -> None:
    random = np.random.default_rng(count)
    rows, source, mask = random.integers(0, 2**64, (3, 4 * ACROSS), dtype=np.uint64)
    wanted = rows.copy()
    wanted[ACROSS : ACROSS + count] |= source[3 : 3 + count] & mask[:count]
    add_row(rows, ACROSS, source, 3, mask, count)
    assert rows.tolist() == wanted.tolist()
