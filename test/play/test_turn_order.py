"""Whose turn it is: 64 lanes at once as one by one."""

from __future__ import annotations

import numpy as np
import pytest

from gdl_env.play.turn_order import TurnRule, find_mover, find_movers


@pytest.mark.parametrize('rule', [TurnRule.ROTATE, TurnRule.PRIORITY, TurnRule.FIRST])
@pytest.mark.parametrize('players', [1, 2, 3, 5])
def test_lanes_at_once_as_one_by_one(rule: TurnRule, players: int):
    random = np.random.default_rng(players)
    for _ in range(20):
        able = random.random((players, 64)) < 0.5
        able[random.integers(players, size=64), np.arange(64)] = True
        last = random.integers(-1, players, 64)
        pending = random.random(64) < 0.8
        moved = np.arange(players)[:, None] == last
        words = [
            np.packbits(rows, axis=-1, bitorder='little').view(np.uint64)[..., 0]
            for rows in (able, moved, pending[None])
        ]
        movers = np.empty(players, np.uint64)
        find_movers(int(rule), words[0].copy(), words[1].copy(), words[2][0], movers)
        found = np.unpackbits(movers.view(np.uint8).reshape(players, 8), axis=1, bitorder='little')
        for lane in range(64):
            expected = np.zeros(players)
            if pending[lane]:
                expected[find_mover(int(rule), able[:, lane], last[lane], np.uint64(0))] = 1
            assert found[:, lane].tolist() == expected.tolist()
