"""Ends that people agree on: offers belong to one game, and only some games know draws."""

from __future__ import annotations

import pytest

from gdl_env.gui.seats.agreements import AgreedEnd, Agreements, has_draw
from gdl_env.language.load import open_game


@pytest.mark.parametrize(
    ('game', 'expected'),
    [('tictactoe', True), ('chess', True), ('hex', False), ('breakthrough', False)],
)
def test_a_draw_is_offered_where_the_rules_have_one(game: str, expected: bool) -> None:
    assert has_draw(open_game(game)) is expected


def test_an_offer_is_of_one_game_and_ends_with_it() -> None:
    agreements = Agreements()
    agreements.offer_draw('/a', 1, 'x')
    assert agreements.offers('/a', 1) == {'x'}
    assert agreements.offers('/a', 2) == agreements.offers('/b', 1) == frozenset()
    agreements.offer_draw('/a', 2, 'o')
    assert agreements.offers('/a', 2) == {'o'}
    agreements.end('/a', AgreedEnd(2))
    assert agreements.offers('/a', 2) == frozenset()
    assert agreements.find_end('/a', 2) == AgreedEnd(2)
    assert agreements.find_end('/a', 3) is None


@pytest.mark.parametrize(
    ('end', 'role', 'outcome'),
    [
        (AgreedEnd(1), 'x', 'draw'),
        (AgreedEnd(1, 'x'), 'x', 'lost'),
        (AgreedEnd(1, 'x'), 'o', 'won'),
        (AgreedEnd(1, 'x'), '', ''),
    ],
)
def test_who_resigns_has_lost(end: AgreedEnd, role: str, outcome: str) -> None:
    assert end.outcome(role) == outcome
