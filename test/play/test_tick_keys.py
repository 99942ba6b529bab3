"""Keys of ticks: a function of seed and tick, in whatever order they are asked for."""

from __future__ import annotations

import pytest

from gdl_env.play.plain_chance import plain_mix
from gdl_env.play.tick_keys import TickKeys


@pytest.mark.parametrize('seed', [0, 7, 2**63, 2**64 - 1])
def test_keys_are_those_of_the_seed(seed: int) -> None:
    keys = TickKeys()
    for tick in [0, 1, 2, 63, 64, 65, 1_000_000, 3, -1, 2**62]:
        assert int(keys.find(seed, tick)) == plain_mix(seed + plain_mix(tick + 1))


def test_another_seed_gives_other_keys() -> None:
    keys = TickKeys()
    first = keys.find(1, 5)
    assert keys.find(2, 5) != first
    assert keys.find(1, 5) == first
