"""Sets of invented games: reproducible, different from each other, the best first."""

from __future__ import annotations

from itertools import islice

import pytest

from gdl_agents.inventing.invent import invent_games, try_games
from gdl_agents.inventing.screening import screen_measures, screen_random_games, screen_rules


def test_a_seed_gives_the_same_games() -> None:
    seen: list[str] = []
    found = invent_games(2, seed=4, report=lambda tried: seen.append(tried.name))
    assert found[0].measures.score >= found[1].measures.score
    assert len(set(seen)) == len(seen) >= 2
    # The best of two is the first of both.
    [again] = invent_games(1, seed=4, pool=2)
    assert (again.name, again.text) == (found[0].name, found[0].text)
    assert again.measures == found[0].measures
    for game in found:
        assert f'; Source:  invented by gdl invent, seed 4, try {seen.index(game.name) + 1}.' in (
            game.text
        )
        assert screen_rules(game.text) is None
        assert screen_random_games(game.load()) is None
        assert screen_measures(game.measures) is None


def test_another_seed_gives_other_games() -> None:
    texts = [{tried.text for tried in islice(try_games(seed), 2)} for seed in (1, 2)]
    assert not texts[0] & texts[1]


@pytest.mark.parametrize(('count', 'pool'), [(0, 0), (3, 2)])
def test_numbers_that_make_no_sense(count: int, pool: int) -> None:
    with pytest.raises(ValueError, match='cannot be kept'):
        invent_games(count, 1, pool)
