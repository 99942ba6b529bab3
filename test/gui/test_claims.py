"""Roles belong to one visitor at a time."""

from __future__ import annotations

import pytest

from gdl_env.gui.errors import GuiError
from gdl_env.gui.seats.claims import ABSENCE, Claims


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_role_is_not_shared() -> None:
    claims = Claims(Clock())
    claims.take('/m', 'x', 'ann')
    claims.take('/m', 'x', 'ann')
    with pytest.raises(GuiError, match='x is played by someone else'):
        claims.take('/m', 'x', 'ben')
    assert claims.may_look('/m', 'x', 'ann')
    assert not claims.may_look('/m', 'x', 'ben')
    claims.take('/m', 'o', 'ben')
    claims.take('/other', 'x', 'ben')
    assert claims.taken('/m') == {'x': 'ann', 'o': 'ben'}


def test_a_role_can_be_given_back_by_its_player_only() -> None:
    claims = Claims(Clock())
    claims.take('/m', 'x', 'ann')
    assert not claims.release('/m', 'x', 'ben')
    assert claims.release('/m', 'x', 'ann')
    claims.take('/m', 'x', 'ben')


def test_who_stays_away_loses_the_role() -> None:
    clock = Clock()
    claims = Claims(clock)
    claims.take('/m', 'x', 'ann')
    claims.take('/m', 'o', 'ben')
    clock.now = ABSENCE - 1
    claims.touch('/m', 'o', 'ben')
    claims.touch('/m', 'x', 'ben')
    clock.now = ABSENCE + 1
    assert claims.expired() == [('/m', 'x')]
    claims.take('/m', 'x', 'cat')
    assert claims.may_look('/m', 'o', 'ben')
