"""The mapping without any types."""

from __future__ import annotations

import pytest

from gdl_env.engine.grounding.errors import GroundingError
from gdl_env.engine.mapping import inferred, open_encoding
from gdl_env.engine.mapping.errors import EncodingError
from gdl_env.engine.mapping.inferred import InferredEncoding
from gdl_env.language.load import game_from_text
from gdl_env.language.terms import Symbol

RULES = """
(role a) (role b) (role random)
(init (step 1)) (succ 1 2) (succ 2 3)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (legal a (say ?n)) (true (step ?n)))
(<= (legal b (say 9)) (true (step ?n)))
(<= (legal random (flip ?n)) (true (step ?n)))
(<= terminal (true (step 3)))
(goal a 100) (goal b 0)
"""


def test_tables_hold_what_can_be_reached():
    mapping = open_encoding(game_from_text(RULES))
    assert isinstance(mapping, InferredEncoding)
    assert [mapping.observation_name(i) for i in range(mapping.observation_size)] == [
        '(step 1)',
        '(step 2)',
        '(step 3)',
    ]
    moves = [str(mapping.move(Symbol('a'), i)) for i in range(mapping.action_size)]
    assert moves == ['(say 1)', '(say 2)', '(say 9)']


def test_a_game_that_cannot_be_grounded_is_told_what_to_do(monkeypatch):
    def fail(game):
        raise GroundingError('too large')

    monkeypatch.setattr(inferred, 'ground_game', fail)
    with pytest.raises(EncodingError, match=r'too large.*manual mapping as module:Class'):
        open_encoding(game_from_text(RULES), 'inferred')
