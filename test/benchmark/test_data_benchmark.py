"""The benchmark of data sets, and the rate that is promised."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl_env.language.load import open_game

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / 'benchmark'))


@pytest.mark.slow
@pytest.mark.parametrize('how', ['randomised', 'battle', 'imitation'])
def test_a_million_positions_a_minute(how: str) -> None:
    from data_sets import GOAL, make, play_bare

    game = open_game('connect_four')
    assert play_bare(game, 1_024) > GOAL
    # The first one loads compiled code, or compiles it.
    rates = [make(game, how, 'npz', 2_048, seed) for seed in range(2)]
    assert max(rates) > GOAL
