"""Sets of invented games: reproducible, different from each other, the best first."""

from __future__ import annotations

from itertools import islice

import pytest

from gdl_agents.inventing.invent import Invention, Rejected, invent_games, try_games
from gdl_agents.inventing.screening import screen_measures, screen_random_games, screen_rules


def test_a_seed_gives_the_same_games() -> None:
    seen: list[str] = []
    first = invent_games(2, seed=4, pool=3, report=lambda tried: seen.append(tried.name))
    assert [game.name for game in first] != sorted(seen)[:1]
    again = invent_games(2, seed=4, pool=3)
    assert [(g.name, g.text, g.measures) for g in again] == [
        (g.name, g.text, g.measures) for g in first
    ]
    assert first[0].measures.score >= first[1].measures.score
    assert len(set(seen)) == len(seen) >= 3
    for game in first:
        assert f'; Source:  invented by gdl invent, seed 4, try {seen.index(game.name) + 1}.' in (
            game.text
        )
        assert screen_rules(game.text) is None
        assert screen_random_games(game.load()) is None
        assert screen_measures(game.measures) is None


def test_another_seed_gives_other_games() -> None:
    texts = [{tried.text for tried in islice(try_games(seed), 2)} for seed in (1, 2)]
    assert not texts[0] & texts[1]
    assert all(isinstance(tried, Invention | Rejected) for tried in islice(try_games(1), 2))


@pytest.mark.parametrize(('count', 'pool'), [(0, 0), (3, 2)])
def test_numbers_that_make_no_sense(count: int, pool: int) -> None:
    with pytest.raises(ValueError, match='cannot be kept'):
        invent_games(count, 1, pool)
