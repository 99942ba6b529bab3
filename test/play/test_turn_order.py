"""Whose turn it is: many lanes at once as one by one."""

from __future__ import annotations

import numpy as np
import pytest

from gdl_env.play.turn_order import TurnRule, find_mover, find_movers


@pytest.mark.parametrize('rule', [TurnRule.ROTATE, TurnRule.PRIORITY, TurnRule.FIRST])
@pytest.mark.parametrize('players', [1, 2, 3, 5])
# Words of a row; 4 and 8 of them are taken at once.
@pytest.mark.parametrize('width', [1, 4, 8])
def test_lanes_at_once_as_one_by_one(rule: TurnRule, players: int, width: int):
    random = np.random.default_rng(players)
    lanes = 64 * width
    for _ in range(20 // width):
        able = random.random((players, lanes)) < 0.5
        able[random.integers(players, size=lanes), np.arange(lanes)] = True
        last = random.integers(-1, players, lanes)
        pending = random.random(lanes) < 0.8
        moved = np.arange(players)[:, None] == last
        rows = [
            np.packbits(rows, axis=-1, bitorder='little').view(np.uint64).reshape(-1)
            for rows in (able, moved, pending)
        ]
        movers = np.empty(players * width, np.uint64)
        room = np.empty(width, np.uint64), np.empty(width, np.uint64)
        find_movers(int(rule), *rows, movers, room)
        bits = np.unpackbits(movers.view(np.uint8), bitorder='little')
        found = bits.reshape(players, lanes)
        for lane in range(lanes):
            expected = np.zeros(players)
            if pending[lane]:
                expected[find_mover(int(rule), able[:, lane], last[lane], np.uint64(0))] = 1
            assert found[:, lane].tolist() == expected.tolist()
